/**
 * `DigestSessions` on ClickHouse. Whether a session changed since its digest is said by versions: a digest carries the last
 * version of the memories it was made from.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { SERVED_STATUSES } from "../memory/MemoryModel.ts"
import { HIDDEN_TYPES } from "../memory/MemoryType.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { DigestSessions } from "./DigestSessions.ts"
import type { ChangedSession, DigestFilter, DigestPlace, KeptDigest, SessionPlace } from "./DigestSessions.ts"
import { inScope } from "./SearchFilterClickhouse.ts"

const place = ch.fragment`org, namespace, agent, user_id, session_id`

/** What a digest may be made from: what an unfiltered search finds, and no other memory answers for. */
const told = (now: number): Fragment => {
  const at = ch.dateTime64(now)
  return ch.fragment`(status IN ${ch.array("String", SERVED_STATUSES)} AND sensitivity != 'high'
    AND value_kind != 'redacted' AND memory_type NOT IN ${ch.array("String", HIDDEN_TYPES)}
    AND (expires_at IS NULL OR expires_at > ${at}) AND (valid_to IS NULL OR valid_to > ${at}))`
}

const ChangedRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  latest: UInt64
})

/** The last end of a memory that was served until then, as a version: no change tells of it. */
const lastEnd = (column: "expires_at" | "valid_to", now: number): Fragment => {
  const end = ch.identifier(column)
  return ch.fragment`toUInt64(maxIf(toUnixTimestamp64Milli(assumeNotNull(${end})), ifNull(${end} > '1970-01-01', false)
    AND ifNull(${end} <= ${ch.dateTime64(now)}, false) AND status IN ${ch.array("String", SERVED_STATUSES)})) * 1000000`
}

const changed = (
  { after, limit, members, now, since, until }: Parameters<DigestSessions["Type"]["changed"]>[0]
): Statement => {
  // The first look is over everything; a later one over what changed since.
  const among = since === 0n
    ? ch.empty
    : ch.fragment`AND (${place}) IN (
        SELECT ${place} FROM loom.changes WHERE version > ${ch.uint64(since)} AND session_id != '')`
  const behind = after === null ?
    ch.empty :
    ch.fragment`AND (latest, ${place}) > (${ch.uint64(after.latest)}, ${ch.string(after.org)}, ${
      ch.string(after.namespace)
    }, ${ch.string(after.agent)}, ${ch.string(after.user_id)}, ${ch.string(after.session_id)})`
  return ch.sql("DigestSessions.changed")`
    SELECT ${place}, latest FROM (
      SELECT ${place}, max(version) AS latest, countIf(${told(now)}) AS memories,
        greatest(${lastEnd("expires_at", now)}, ${lastEnd("valid_to", now)}) AS ended
      FROM loom.memory FINAL
      WHERE session_id != '' ${among} GROUP BY ${place}
    ) AS session LEFT JOIN (
      SELECT ${place}, max(version) AS made, max(tombstoned_at IS NULL) AS stands FROM loom.session_summaries FINAL
      WHERE session_id != '' GROUP BY ${place}
    ) AS digest USING (${place})
    WHERE latest <= ${ch.uint64(until)} AND greatest(latest, ended) > made AND (memories >= ${
    ch.uint32(members)
  } OR stands) ${behind}
    ORDER BY latest, ${place} LIMIT ${ch.uint32(limit)}`
}

const MemoryRowOf = Schema.Struct({
  memory_key: Schema.String,
  content_sha256: Schema.String,
  value: Schema.String,
  value_kind: Schema.Literal("string", "json", "redacted")
})

const inSession = ({ agent, namespace, org, session_id, user_id }: SessionPlace): Fragment =>
  ch.fragment`${inScope({ org, namespace })} AND agent = ${ch.string(agent)} AND user_id = ${
    ch.string(user_id)
  } AND session_id = ${ch.string(session_id)}`

const memories = (at: SessionPlace, now: number, most: number): Statement =>
  ch.sql("DigestSessions.memories")`
    SELECT memory_key, content_sha256, value, value_kind FROM (
      SELECT memory_key, content_sha256, value, value_kind, created_at FROM loom.memory FINAL
      WHERE ${inSession(at)} AND ${told(now)}
      ORDER BY created_at DESC, memory_key DESC LIMIT ${ch.uint32(most)}
    ) ORDER BY created_at, memory_key`

const LatestRow = Schema.Struct({ latest: UInt64 })

const latest = (at: SessionPlace): Statement =>
  ch.sql("DigestSessions.latest")`SELECT max(version) AS latest FROM loom.memory FINAL WHERE ${inSession(at)}`

const DigestRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  digest_id: Schema.String,
  text: Schema.String,
  derived_from: Schema.Array(Schema.String),
  derived_sha256: Schema.Array(Schema.String),
  created_at: EpochMillis,
  version: UInt64,
  ended: Flag
})

const digestColumns = ch.fragment`agent, user_id, session_id, digest_id, text, derived_from, derived_sha256, created_at,
  version, tombstoned_at IS NOT NULL AS ended`

const keptOf = ({ derived_from, derived_sha256, ...row }: typeof DigestRow.Type): KeptDigest => ({
  ...row,
  members: derived_from.map((memory_key, at) => ({ memory_key, content_sha256: derived_sha256[at] ?? "" }))
})

const digest = (at: SessionPlace, digest_id: string): Statement =>
  ch.sql("DigestSessions.digest")`SELECT ${digestColumns} FROM loom.session_summaries FINAL
    WHERE ${inSession(at)} AND digest_id = ${ch.string(digest_id)}`

const listed = (
  scope: Scope,
  { agent, session_id, user_id }: DigestFilter,
  { after, limit }: { readonly after: DigestPlace | null; readonly limit: number }
): Statement => {
  const equals = (column: "agent" | "user_id" | "session_id", value: string | null) =>
    value === null ? ch.empty : ch.fragment` AND ${ch.identifier(column)} = ${ch.string(value)}`
  return ch.sql("DigestSessions.list")`SELECT ${digestColumns} FROM loom.session_summaries FINAL
    WHERE ${inScope(scope)}${equals("agent", agent)}${equals("user_id", user_id)}${equals("session_id", session_id)}
      AND session_id != '' AND tombstoned_at IS NULL${
    after === null
      ? ch.empty
      : ch.fragment` AND (agent, user_id, session_id, digest_id) > (${ch.string(after.agent)}, ${
        ch.string(after.user_id)
      }, ${ch.string(after.session_id)}, ${ch.string(after.digest_id)})`
  } ORDER BY agent, user_id, session_id, digest_id LIMIT ${ch.uint32(limit)}`
}

export const layer: Layer.Layer<DigestSessions, never, Clickhouse> = Layer.effect(
  DigestSessions,
  Effect.map(Clickhouse, ({ query }) =>
    DigestSessions.of({
      changed: Effect.fn("DigestSessions.changed")(function*(span) {
        const rows: ReadonlyArray<ChangedSession> = yield* query(changed(span), ChangedRow)
        return rows
      }),
      state: Effect.fn("DigestSessions.state")(function*(at, digest_id, { most, now }) {
        // The version first: what changes in between is then later than the digest that is made.
        const [last] = yield* query(latest(at), LatestRow)
        const [kept] = yield* query(digest(at, digest_id), DigestRow)
        return {
          latest: last?.latest ?? 0n,
          memories: yield* query(memories(at, now, most), MemoryRowOf),
          digest: kept === undefined ? null : keptOf(kept)
        }
      }),
      list: Effect.fn("DigestSessions.list")(function*(scope, filter, page) {
        return (yield* query(listed(scope, filter, page), DigestRow)).map(keptOf)
      })
    }))
)
