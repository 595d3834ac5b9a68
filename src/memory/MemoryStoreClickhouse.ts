/**
 * `MemoryStore` over ClickHouse. Heads are read from `loom.memory` with FINAL, the past from `loom.memory_versions`. How
 * a commit is laid down is in `MemoryCommitClickhouse`, how a torn one is set right in `MemoryRepairClickhouse`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { commitTo } from "./MemoryCommitClickhouse.ts"
import { disownIn } from "./MemoryDisownClickhouse.ts"
import { peersOf } from "./MemoryPeersClickhouse.ts"
import { repairOf } from "./MemoryRepairClickhouse.ts"
import { headsBehind, inScope, place, rowColumns, rowsAt, StoredRow } from "./MemoryRowsClickhouse.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Probes } from "./MemoryStore.ts"
import { WRITE_KEY_PREFIX } from "./WriteKeys.ts"

const Committed = Schema.Struct({ found: UInt64 })

const committed = (scope: Scope, versions: ReadonlyArray<bigint>): Statement => {
  const wanted = ch.fragment`${inScope(scope)} AND version IN ${ch.array("UInt64", versions)}`
  return ch.sql("MemoryStore.committed")`SELECT uniqExact(version) AS found FROM (
    SELECT version FROM loom.memory WHERE ${wanted} UNION ALL SELECT version FROM loom.memory_versions WHERE ${wanted})`
}

const PositionRow = Schema.Struct({ version: UInt64, audit_hash: Schema.String, rows: UInt64 })

/** The numbers of what was voided, and of the heads that were laid down again for it. */
const voided = (scope: Scope): Fragment =>
  ch.fragment`SELECT position FROM loom.journal WHERE ${inScope(scope)} AND action = 'void'`

// The mirrors may lack the last rows of a torn insert, so the heads are asked as well.
const position = (scope: Scope): Statement =>
  ch.sql("MemoryStore.position")`SELECT
    (SELECT max(top) FROM (
      SELECT max(ceiling) AS top FROM loom.namespace_counters WHERE ${inScope(scope)}
      UNION ALL SELECT max(version) FROM loom.memory_versions WHERE ${inScope(scope)}
      UNION ALL SELECT max(version) FROM loom.memory WHERE ${inScope(scope)}
      UNION ALL SELECT max(position) FROM loom.journal WHERE ${inScope(scope)})) AS version,
    (SELECT argMax(link, at) FROM (
      SELECT hash AS link, position AS at FROM loom.journal
        WHERE ${inScope(scope)} AND position NOT IN (${voided(scope)}) ORDER BY position DESC LIMIT 1
      UNION ALL
      SELECT audit_hash, version FROM loom.memory
        WHERE ${inScope(scope)} AND version NOT IN (${voided(scope)}) ORDER BY version DESC LIMIT 1
    )) AS audit_hash,
    (SELECT count() FROM loom.memory FINAL WHERE ${inScope(scope)}) AS rows`

const Entry = StoredRow.pick(
  "agent",
  "user_id",
  "session_id",
  "memory_key",
  "memory_id",
  "memory_type",
  "status",
  "content_sha256",
  "canonical_sha256",
  "version",
  "expires_at",
  "valid_to",
  "duplicate_of",
  "conflict_with"
)

const entryColumns = ch.join(Object.keys(Entry.fields).map((name) => ch.identifier(name)))

const entries = (scope: Scope): Statement =>
  ch.sql("MemoryStore.entries")`SELECT ${entryColumns} FROM loom.memory FINAL WHERE ${inScope(scope)}`

/**
 * Finds the places first, in all versions and without FINAL, by the few columns that the probes name; then reads the
 * heads at those places by the sort key. A head that matches is among the versions that match, so none is lost.
 */
const probe = (scope: Scope, probes: Probes): Statement => {
  const keys = ch.fragment`memory_key IN ${ch.array("String", probes.keys)}`
  const ids = ch.fragment`memory_id IN ${ch.array("String", probes.ids)}`
  const canonical = ch.fragment`(canonical_sha256, memory_type, user_id) IN ${
    ch.tuples(
      ["String", "String", "String"],
      probes.canonical.map(({ memory_type, sha256, user_id }) => [sha256, memory_type, user_id])
    )
  }`
  const content = ch.fragment`(content_sha256, user_id) IN ${
    ch.tuples(["String", "String"], probes.content.map(({ sha256, user_id }) => [sha256, user_id]))
  }`
  const wanted = ch.array("String", probes.linked)
  const linked = ch.fragment`(duplicate_of IN ${wanted} OR hasAny(conflict_with, ${wanted}))`
  const from = (condition: typeof keys) =>
    ch.fragment`SELECT agent, user_id, session_id, memory_key FROM loom.memory
      WHERE ${inScope(scope)} AND ${condition}`
  const places = [
    ...(probes.keys.length === 0 ? [] : [from(keys)]),
    ...(probes.ids.length === 0 ? [] : [from(ids)]),
    ...(probes.canonical.length === 0 ? [] : [from(canonical)]),
    ...(probes.content.length === 0 ? [] : [from(content)]),
    ...(probes.linked.length === 0 ? [] : [from(linked)])
  ]
  return ch.sql("MemoryStore.probe")`SELECT ${rowColumns} FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND ${place} IN (${ch.join(places, " UNION ALL ")})
      AND (${keys} OR ${ids} OR ${canonical} OR ${content} OR ${linked})`
}

const LastWordRow = Schema.Struct({
  memory_type: Schema.String,
  user_id: Schema.String,
  sha256: Schema.String,
  memory_key: Schema.String,
  status: StoredRow.fields.status,
  change: StoredRow.fields.change,
  version: UInt64
})

// Asked only of writes that nobody stated outright; it reads a few narrow columns of the namespace's past.
const lastWords = (scope: Scope, claims: Probes["canonical"]): Statement =>
  ch.sql("MemoryStore.lastWords")`SELECT memory_type, user_id, canonical_sha256 AS sha256,
      argMax(memory_key, at) AS memory_key, argMax(status, at) AS status, argMax(change, at) AS change, max(at) AS version
    FROM (SELECT memory_type, user_id, canonical_sha256, memory_key, status, change, version AS at
      FROM loom.memory_versions FINAL
      WHERE ${inScope(scope)} AND status != 'void' AND (canonical_sha256, memory_type, user_id) IN ${
    ch.tuples(
      ["String", "String", "String"],
      claims.map(({ memory_type, sha256, user_id }) => [sha256, memory_type, user_id])
    )
  })
    GROUP BY memory_type, user_id, canonical_sha256`

const IdemHash = Schema.Struct({ idem_hash: Schema.String })

const idempotencyKeys = (scope: Scope, since: number, writesSince: number): Statement =>
  ch.sql("MemoryStore.idempotencyKeys")`SELECT DISTINCT idem_hash FROM (
    SELECT idem_hash, updated_at AS at FROM loom.memory_versions WHERE ${inScope(scope)} AND idem_hash != ''
    UNION ALL
    SELECT idem_hash, at FROM loom.idempotency WHERE ${inScope(scope)})
  WHERE at >= if(startsWith(idem_hash, ${ch.string(WRITE_KEY_PREFIX)}), ${ch.dateTime64(writesSince)},
    ${ch.dateTime64(since)})`

const Kept = Schema.Struct({
  payload_hash: Schema.String,
  write_id: Schema.String,
  answer: Schema.String,
  at: EpochMillis
})

// A write keeps its answer on its first row alone.
const keptAnswer = (scope: Scope, idemHash: string, since: number): Statement =>
  ch.sql("MemoryStore.keptAnswer")`SELECT payload_hash, write_id, answer, at FROM (
    SELECT payload_hash, write_id, answer, updated_at AS at, version FROM loom.memory_versions FINAL
      WHERE ${inScope(scope)} AND (agent, user_id, session_id, memory_key, version) IN (
        SELECT agent, user_id, session_id, memory_key, version FROM loom.memory_versions
        WHERE ${inScope(scope)} AND idem_hash = ${ch.string(idemHash)})
      AND answer != '' AND updated_at >= ${ch.dateTime64(since)}
    UNION ALL
    SELECT payload_hash, write_id, answer, at, version FROM loom.idempotency FINAL
      WHERE ${inScope(scope)} AND idem_hash = ${ch.string(idemHash)} AND at >= ${ch.dateTime64(since)} AND answer != '')
  ORDER BY version LIMIT 1`

const ScopeRow = Schema.Struct({ org: Schema.String, namespace: Schema.String })

const make = (clickhouse: Clickhouse["Type"]): MemoryStore["Type"] => ({
  commit: commitTo(clickhouse),
  committed: Effect.fn("MemoryStore.committed")(function*(scope, versions) {
    const wanted = new Set(versions)
    if (wanted.size === 0) return true
    const [row] = yield* clickhouse.query(committed(scope, [...wanted]), Committed)
    return row?.found === BigInt(wanted.size)
  }),
  repair: repairOf(clickhouse),
  disown: disownIn(clickhouse),
  position: Effect.fn("MemoryStore.position")(function*(scope) {
    const [row] = yield* clickhouse.query(position(scope), PositionRow)
    return row === undefined
      ? { version: 0n, audit_hash: "", rows: 0 }
      : { version: row.version, audit_hash: row.audit_hash, rows: Number(row.rows) }
  }),
  entries: Effect.fn("MemoryStore.entries")(function*(scope) {
    return yield* clickhouse.query(entries(scope), Entry)
  }),
  rows: Effect.fn("MemoryStore.rows")(function*(scope, identities) {
    return yield* rowsAt(clickhouse, scope, identities)
  }),
  heads: Effect.fn("MemoryStore.heads")(function*(scope, { after, limit, longest }) {
    return yield* clickhouse.query(headsBehind(scope, after, limit, longest), StoredRow)
  }),
  probe: Effect.fn("MemoryStore.probe")(function*(scope, probes) {
    const isEmpty = Object.values(probes).every((list: ReadonlyArray<unknown>) => list.length === 0)
    return isEmpty ? [] : yield* clickhouse.query(probe(scope, probes), StoredRow)
  }),
  lastWords: Effect.fn("MemoryStore.lastWords")(function*(scope, claims) {
    return claims.length === 0 ? [] : yield* clickhouse.query(lastWords(scope, claims), LastWordRow)
  }),
  ...peersOf(clickhouse),
  idempotencyKeys: Effect.fn("MemoryStore.idempotencyKeys")(function*(scope, since, writesSince) {
    const rows = yield* clickhouse.query(idempotencyKeys(scope, since, writesSince), IdemHash)
    return rows.map(({ idem_hash }) => idem_hash)
  }),
  keptAnswer: Effect.fn("MemoryStore.keptAnswer")(function*(scope, idemHash, since = 0) {
    const [row] = yield* clickhouse.query(keptAnswer(scope, idemHash, since), Kept)
    return Option.fromNullable(row)
  }),
  scopes: clickhouse.query(
    ch.sql("MemoryStore.scopes")`SELECT DISTINCT org, namespace FROM loom.memory`,
    ScopeRow
  ).pipe(Effect.withSpan("MemoryStore.scopes"))
})

export const layer: Layer.Layer<MemoryStore, never, Clickhouse> = Layer.effect(
  MemoryStore,
  Effect.map(Clickhouse, make)
)
