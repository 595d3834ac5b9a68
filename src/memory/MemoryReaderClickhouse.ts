/**
 * `MemoryReader` over ClickHouse: heads from `loom.memory` with FINAL, versions from `loom.memory_versions`. Reads of a few rows ride the sort key and stay on one thread; lists are in `MemoryListClickhouse`.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import * as MemoryListClickhouse from "./MemoryListClickhouse.ts"
import { byWriter } from "./MemoryListClickhouse.ts"
import { SERVED_STATUSES } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { NamedThingPage, Place, WriterFilter } from "./MemoryReader.ts"
import {
  inPlaces,
  inScope,
  markColumns,
  place,
  placesAtOnce,
  rowColumns,
  StoredMark,
  StoredRow
} from "./MemoryRowsClickhouse.ts"

// A few granules: a second thread costs more than it saves, and leaves none to other readers.
const pointRead = { max_threads: 1 }

/** The whole sort key when the writer is given in full; else its first columns and the bloom index on the key. */
export const byKey = (scope: Scope, key: string, writer: WriterFilter): Statement =>
  ch.sql("MemoryReader.byKey", pointRead)`SELECT ${rowColumns} FROM loom.memory FINAL
    WHERE ${byWriter(scope, writer)} AND memory_key = ${ch.string(key)} ORDER BY version DESC`

/** The place first, by the bloom index on the id (which an identity keeps for life), then the head at that place. */
export const byId = (scope: Scope, memoryId: string, writer: WriterFilter): Statement =>
  ch.sql("MemoryReader.byId", pointRead)`SELECT ${rowColumns} FROM loom.memory FINAL
    WHERE ${byWriter(scope, writer)} AND ${place} IN (
      SELECT agent, user_id, session_id, memory_key FROM loom.memory
      WHERE ${inScope(scope)} AND memory_id = ${ch.string(memoryId)})
    AND memory_id = ${ch.string(memoryId)}`

export const history = (
  scope: Scope,
  places: ReadonlyArray<Place>,
  { before, limit }: { readonly before: bigint | null; readonly limit: number }
): Statement =>
  ch.sql("MemoryReader.history", pointRead)`SELECT ${rowColumns} FROM loom.memory_versions FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)}${
    before === null ? ch.empty : ch.fragment` AND version < ${ch.uint64(before)}`
  } ORDER BY version DESC LIMIT ${ch.uint32(limit)}`

export const marks = (scope: Scope, places: ReadonlyArray<Place>, known: bigint | null): Statement =>
  ch.sql("MemoryReader.marks", pointRead)`SELECT ${markColumns} FROM loom.memory_versions FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)}${
    known === null ? ch.empty : ch.fragment` AND version <= ${ch.uint64(known)}`
  } ORDER BY version`

export const versions = (scope: Scope, places: ReadonlyArray<Place>, wanted: ReadonlyArray<bigint>): Statement =>
  ch.sql("MemoryReader.versions", pointRead)`SELECT ${rowColumns} FROM loom.memory_versions FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)} AND version IN ${ch.array("UInt64", wanted)}`

const withheld = (scope: Scope, places: ReadonlyArray<Place>): Statement =>
  ch.sql("MemoryReader.withheld", pointRead)`SELECT agent, user_id, session_id, memory_key FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)} AND sensitivity = 'high'`

const NamedThingRow = Schema.Struct({ entity: Schema.String, memories: Schema.Number })

/** Counted over the rows that are served now, not over the projection of entities, which knows all that ever named one. */
const namedThings = (scope: Scope, writer: WriterFilter, page: NamedThingPage, now: number): Statement => {
  const { after, limit, prefix } = page
  const at = ch.dateTime64(now)
  return ch.sql("MemoryReader.namedThings")`SELECT entity, toUInt32(count()) AS memories FROM loom.memory FINAL
    ARRAY JOIN arrayDistinct(entities) AS entity
    WHERE ${byWriter(scope, writer)} AND status IN ${ch.array("String", SERVED_STATUSES)} AND sensitivity != 'high'
      AND (expires_at IS NULL OR expires_at > ${at}) AND (valid_to IS NULL OR valid_to > ${at})
      AND startsWith(entity, ${ch.string(prefix)})${
    after === null ? ch.empty : ch.fragment` AND entity > ${ch.string(after)}`
  }
    GROUP BY entity ORDER BY entity LIMIT ${ch.uint32(limit)}`
}

const StoredPlace = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String
})

/** An end that has come changes what is served without a version; the row's dates say when it came. */
const latest = (scope: Scope, writer: WriterFilter, now: number): Statement => {
  const ended = (column: "expires_at" | "valid_to") => {
    const end = ch.identifier(column)
    return ch.fragment`maxIf(toUnixTimestamp64Milli(assumeNotNull(${end})), ${end} > '1970-01-01' AND ${end} <= ${
      ch.dateTime64(now)
    })`
  }
  return ch.sql("MemoryReader.latest")`SELECT greatest(max(version), toUInt64(greatest(${
    ch.join([ended("expires_at"), ended("valid_to")])
  })) * 1000000) AS found FROM loom.memory FINAL WHERE ${byWriter(scope, writer)}`
}

const Count = Schema.Struct({ found: UInt64 })

/** As many places a statement as it takes well. */
const inTurns = <A, E>(
  places: ReadonlyArray<Place>,
  read: (turn: ReadonlyArray<Place>) => Effect.Effect<ReadonlyArray<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.map(Effect.forEach(Arr.chunksOf(places, placesAtOnce), read), Arr.flatten)

const make = (clickhouse: Clickhouse["Type"]): MemoryReader["Type"] => ({
  byKey: Effect.fn("MemoryReader.byKey")(function*(scope, key, writer) {
    return yield* clickhouse.query(byKey(scope, key, writer), StoredRow)
  }),
  byId: Effect.fn("MemoryReader.byId")(function*(scope, memoryId, writer) {
    return yield* clickhouse.query(byId(scope, memoryId, writer), StoredRow)
  }),
  list: Effect.fn("MemoryReader.list")(function*(scope, filter, page) {
    return yield* clickhouse.query(MemoryListClickhouse.list(scope, filter, page), StoredRow)
  }),
  count: Effect.fn("MemoryReader.count")(function*(scope, filter) {
    const [row] = yield* clickhouse.query(MemoryListClickhouse.count(scope, filter), Count)
    return Number(row?.found ?? 0n)
  }),
  namedThings: Effect.fn("MemoryReader.namedThings")(function*(scope, writer, page, now) {
    return yield* clickhouse.query(namedThings(scope, writer, page, now), NamedThingRow)
  }),
  history: Effect.fn("MemoryReader.history")(function*(scope, identities, page) {
    return identities.length === 0 ? [] : yield* clickhouse.query(history(scope, identities, page), StoredRow)
  }),
  marks: Effect.fn("MemoryReader.marks")(function*(scope, identities, known) {
    return yield* inTurns(identities, (turn) => clickhouse.query(marks(scope, turn, known), StoredMark))
  }),
  versions: Effect.fn("MemoryReader.versions")(function*(scope, identities, wanted) {
    return yield* inTurns(identities, (turn) => clickhouse.query(versions(scope, turn, wanted), StoredRow))
  }),
  withheld: Effect.fn("MemoryReader.withheld")(function*(scope, identities) {
    return yield* inTurns(identities, (turn) => clickhouse.query(withheld(scope, turn), StoredPlace))
  }),
  latest: Effect.fn("MemoryReader.latest")(function*(scope, writer, now) {
    const [row] = yield* clickhouse.query(latest(scope, writer, now), Count)
    return row?.found ?? 0n
  })
})

export const layer: Layer.Layer<MemoryReader, never, Clickhouse> = Layer.effect(
  MemoryReader,
  Effect.map(Clickhouse, make)
)
