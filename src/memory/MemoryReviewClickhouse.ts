/**
 * `MemoryReview` over ClickHouse: heads from `loom.memory` with FINAL, the past from `loom.memory_versions`. Scans of a
 * whole namespace are bounded by their page; how a value is scrubbed is in `MemoryScrubClickhouse`.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { SERVED_STATUSES } from "./MemoryModel.ts"
import { MemoryReview } from "./MemoryReview.ts"
import type { Place, Point, ReaderBound, StandingKind } from "./MemoryReview.ts"
import { inPlaces, inScope, place, placesAtOnce, rowColumns, StoredRow } from "./MemoryRowsClickhouse.ts"
import { scrubIn } from "./MemoryScrubClickhouse.ts"

const placeColumns = ch.fragment`agent, user_id, session_id, memory_key`

const visible = (scope: Scope, bound: ReaderBound): Fragment =>
  bound === null ? inScope(scope) : ch.fragment`${inScope(scope)} AND user_id = ${ch.string(bound)}`

const heads = (
  scope: Scope,
  bound: ReaderBound,
  { after, limit }: { readonly after: Place | null; readonly limit: number }
): Statement =>
  ch.sql("MemoryReview.heads")`SELECT ${rowColumns} FROM loom.memory FINAL WHERE ${visible(scope, bound)}${
    after === null ?
      ch.empty :
      ch.fragment` AND ${place} > (${ch.string(after.agent)}, ${ch.string(after.user_id)}, ${
        ch.string(after.session_id)
      }, ${ch.string(after.memory_key)})`
  } ORDER BY ${placeColumns} LIMIT ${ch.uint32(limit)}`

const named = (scope: Scope, bound: ReaderBound, ids: ReadonlyArray<string>, keys: ReadonlyArray<string>): Statement =>
  ch.sql("MemoryReview.named")`SELECT ${rowColumns} FROM loom.memory FINAL
    WHERE ${visible(scope, bound)} AND (memory_key IN ${ch.array("String", keys)} OR (${place} IN (
      SELECT ${placeColumns} FROM loom.memory
      WHERE ${inScope(scope)} AND memory_id IN ${ch.array("String", ids)})
      AND memory_id IN ${ch.array("String", ids)}))`

const LinkRow = Schema.Struct({
  ...StoredRow.pick("agent", "user_id", "session_id", "memory_key", "memory_id", "memory_type").fields,
  other: Schema.String,
  since: UInt64,
  at: EpochMillis,
  write_id: Schema.String,
  cause: Schema.String
})

// A link stands since the first version behind the last one that lacked it. One whose other side ran out stays until
// somebody decides it.
const conflictLinks = (scope: Scope, bound: ReaderBound, now: number): Statement => {
  const time = ch.dateTime64(now)
  const conflicted = ch.fragment`${visible(scope, bound)} AND status IN ${ch.array("String", SERVED_STATUSES)}
    AND notEmpty(conflict_with)`
  const served = ch.fragment`${conflicted} AND (expires_at IS NULL OR expires_at > ${time})
    AND (valid_to IS NULL OR valid_to > ${time})`
  return ch.sql("MemoryReview.conflictLinks")`SELECT ${placeColumns}, memory_id, memory_type, other,
      first.1 AS since, first.2 AS at, first.3 AS write_id, first.4 AS cause
    FROM (
      SELECT ${placeColumns}, head.memory_id AS memory_id, head.memory_type AS memory_type, head.other AS other,
        maxIf(v_version, NOT has(v_links, other)) AS gap,
        arraySort(groupArrayIf((v_version, v_at, v_write_id, v_cause), has(v_links, other))) AS linked,
        arrayFirst(item -> item.1 > gap, linked) AS first
      FROM (
        SELECT ${placeColumns}, memory_id, memory_type, other FROM loom.memory FINAL
        ARRAY JOIN conflict_with AS other WHERE ${conflicted}
      ) AS head
      INNER JOIN (
        SELECT ${placeColumns}, version AS v_version, updated_at AS v_at, write_id AS v_write_id, cause AS v_cause,
          conflict_with AS v_links
        FROM loom.memory_versions FINAL
        WHERE ${inScope(scope)} AND status != 'void'
          AND ${place} IN (SELECT ${placeColumns} FROM loom.memory FINAL WHERE ${conflicted})
      ) AS past USING (${placeColumns})
      GROUP BY ${placeColumns}, memory_id, memory_type, other
    ) WHERE since > 0 AND (
      memory_id IN (SELECT memory_id FROM loom.memory FINAL WHERE ${served})
      OR other IN (SELECT memory_id FROM loom.memory FINAL WHERE ${served})
    )`
}

// One look over the heads finds how many there are; only where there are any are the first of them read.
const standingBy = (scope: Scope, bound: ReaderBound, now: number, kind: StandingKind) => {
  const time = ch.dateTime64(now)
  const since = kind === "proposed" ? ch.fragment`created_at` : ch.fragment`updated_at`
  const meant = kind === "proposed"
    ? ch.fragment`status = 'proposed'`
    : ch.fragment`status IN ${ch.array("String", SERVED_STATUSES)} AND verified_kind != ''
      AND verified_sha256 != content_sha256`
  const where = ch.fragment`${visible(scope, bound)} AND ${meant}
    AND (expires_at IS NULL OR expires_at > ${time}) AND (valid_to IS NULL OR valid_to > ${time})`
  return {
    counted: ch.sql("MemoryReview.standingBy")`SELECT count() AS found, min(${since}) AS oldest FROM loom.memory FINAL
      WHERE ${where}`,
    first: (limit: number) =>
      ch.sql("MemoryReview.standingBy")`SELECT ${rowColumns} FROM loom.memory FINAL WHERE ${where}
        ORDER BY ${since}, memory_id LIMIT ${ch.uint32(limit)}`
  }
}

const CountedRow = Schema.Struct({ found: UInt64, oldest: EpochMillis })

const atPlace = (scope: Scope, one: Place): Fragment => ch.fragment`${inScope(scope)} AND ${inPlaces([one])}`

const VectorRow = Schema.Struct({ content_sha256: Schema.String, embedder_id: Schema.String })
const ChunkRow = Schema.Struct({ content_sha256: Schema.String, passages: UInt64 })
const EntityRow = Schema.Struct({ entity: Schema.String })
const ContentRow = StoredRow.pick("agent", "user_id", "session_id", "memory_key", "content_sha256")
const AuditRow = Schema.Struct({ prev_hash: Schema.String, hash: Schema.String })
const FactsRow = StoredRow.pick(
  "version",
  "updated_at",
  "actor",
  "change",
  "status",
  "content_sha256",
  "write_id",
  "cause"
)
const CausedRow = Schema.Struct({
  ...FactsRow.fields,
  ...StoredRow.pick("agent", "user_id", "session_id", "memory_key", "memory_id").fields
})
const TopRow = Schema.Struct({ top: UInt64 })

const factColumns = ch.join(Object.keys(FactsRow.fields).map((name) => ch.identifier(name)))

const point = (scope: Scope, asked: Point): Statement =>
  "at" in asked
    ? ch.sql("MemoryReview.point")`SELECT max(version) AS top FROM loom.memory_versions FINAL
      WHERE ${inScope(scope)} AND status != 'void' AND updated_at <= ${ch.dateTime64(asked.at)}`
    : ch.sql("MemoryReview.point")`SELECT max(version) AS top FROM loom.memory_versions FINAL
      WHERE ${inScope(scope)} AND status != 'void' AND write_id IN (
        SELECT write_id FROM loom.memory_versions FINAL
        WHERE ${inScope(scope)} AND status != 'void' AND version <= ${ch.uint64(asked.version)}
        ORDER BY version DESC LIMIT 1)`

const make = (clickhouse: Clickhouse["Type"]): MemoryReview["Type"] => ({
  heads: Effect.fn("MemoryReview.heads")(function*(scope, bound, page) {
    return yield* clickhouse.query(heads(scope, bound, page), StoredRow)
  }),
  named: Effect.fn("MemoryReview.named")(function*(scope, bound, { ids, keys }) {
    const turns = Arr.chunksOf([
      ...ids.map((id) => ({ id, key: null })),
      ...keys.map((key) => ({ id: null, key }))
    ], placesAtOnce)
    const found = yield* Effect.forEach(turns, (turn) =>
      clickhouse.query(
        named(
          scope,
          bound,
          turn.flatMap(({ id }) => id ?? []),
          turn.flatMap(({ key }) => key ?? [])
        ),
        StoredRow
      ))
    return Arr.dedupeWith(found.flat(), (left, right) => left.version === right.version)
  }),
  conflictLinks: Effect.fn("MemoryReview.conflictLinks")(function*(scope, bound, now) {
    return yield* clickhouse.query(conflictLinks(scope, bound, now), LinkRow)
  }),
  standingBy: Effect.fn("MemoryReview.standingBy")(function*(scope, bound, now, { kind, limit }) {
    const { counted, first } = standingBy(scope, bound, now, kind)
    const [sum] = yield* clickhouse.query(counted, CountedRow)
    if (sum === undefined || sum.found === 0n) return { count: 0, oldest: null, rows: [] }
    const rows = limit === 0 ? [] : yield* clickhouse.query(first(limit), StoredRow)
    return { count: Number(sum.found), oldest: sum.oldest, rows }
  }),
  derived: Effect.fn("MemoryReview.derived")(function*(scope, one) {
    const [vectors, chunks, entities] = yield* Effect.all([
      clickhouse.query(
        ch.sql("MemoryReview.derived")`SELECT DISTINCT content_sha256, embedder_id FROM loom.memory_embeddings
          WHERE ${atPlace(scope, one)}`,
        VectorRow
      ),
      clickhouse.query(
        ch.sql("MemoryReview.derived")`SELECT content_sha256, uniqExact(chunk_index) AS passages
          FROM loom.memory_chunks WHERE ${atPlace(scope, one)} GROUP BY content_sha256`,
        ChunkRow
      ),
      clickhouse.query(
        ch.sql("MemoryReview.derived")`SELECT DISTINCT entity FROM loom.memory_entities
          WHERE ${atPlace(scope, one)} ORDER BY entity`,
        EntityRow
      )
    ])
    return {
      vectors,
      chunks: chunks.map(({ content_sha256, passages }) => ({ content_sha256, count: Number(passages) })),
      entities: entities.map(({ entity }) => entity)
    }
  }),
  vectorless: Effect.fn("MemoryReview.vectorless")(function*(scope, embedderId, rows) {
    const found = yield* Effect.forEach(Arr.chunksOf(rows, placesAtOnce), (turn) =>
      clickhouse.query(
        ch.sql("MemoryReview.vectorless")`SELECT DISTINCT ${placeColumns}, content_sha256 FROM loom.memory_embeddings
          WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)} AND ${inPlaces(turn)}`,
        ContentRow
      ))
    const there = new Set(found.flat().map((row) => `${identityKey(row)}\u0000${row.content_sha256}`))
    return rows.filter((row) => !there.has(`${identityKey(row)}\u0000${row.content_sha256}`))
  }),
  auditLink: Effect.fn("MemoryReview.auditLink")(function*(scope, position) {
    const [link] = yield* clickhouse.query(
      ch.sql("MemoryReview.auditLink")`SELECT prev_hash, hash FROM loom.audit_log
        WHERE ${inScope(scope)} AND position = ${ch.uint64(position)} LIMIT 1`,
      AuditRow
    )
    return Option.fromNullable(link)
  }),
  versions: Effect.fn("MemoryReview.versions")(function*(scope, one, limit) {
    return yield* clickhouse.query(
      ch.sql("MemoryReview.versions")`SELECT ${factColumns} FROM loom.memory_versions FINAL
        WHERE ${atPlace(scope, one)} AND status != 'void' ORDER BY version DESC LIMIT ${ch.uint32(limit)}`,
      FactsRow
    )
  }),
  causedBy: Effect.fn("MemoryReview.causedBy")(function*(scope, bound, memoryId, limit) {
    return yield* clickhouse.query(
      ch.sql("MemoryReview.causedBy")`SELECT ${placeColumns}, memory_id, ${factColumns}
        FROM loom.memory_versions FINAL
        WHERE ${visible(scope, bound)} AND memory_id != ${ch.string(memoryId)}
          AND position(cause, ${ch.string(memoryId)}) > 0
          AND JSONExtractString(cause, 'memory_id') = ${ch.string(memoryId)}
        ORDER BY version DESC LIMIT ${ch.uint32(limit)}`,
      CausedRow
    )
  }),
  point: Effect.fn("MemoryReview.point")(function*(scope, asked) {
    const [row] = yield* clickhouse.query(point(scope, asked), TopRow)
    return row?.top ?? 0n
  }),
  standing: Effect.fn("MemoryReview.standing")(function*(scope, places, version) {
    const found = yield* Effect.forEach(Arr.chunksOf(places, placesAtOnce), (turn) =>
      clickhouse.query(
        ch.sql("MemoryReview.standing")`SELECT ${rowColumns} FROM loom.memory_versions FINAL
          WHERE ${inScope(scope)} AND ${inPlaces(turn)} AND status != 'void' AND version <= ${ch.uint64(version)}
          ORDER BY version DESC LIMIT 1 BY ${placeColumns}`,
        StoredRow
      ))
    return found.flat()
  }),
  scrub: scrubIn(clickhouse)
})

export const layer: Layer.Layer<MemoryReview, never, Clickhouse> = Layer.effect(
  MemoryReview,
  Effect.map(Clickhouse, make)
)
