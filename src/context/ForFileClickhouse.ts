/**
 * `ForFileStore` on ClickHouse. The heads about a file are read without their values, all of them up to a bound, since a row
 * may have to stand above or fall with any other; who stated what they say, and when, comes from their history; the values
 * are read for the rows that may be printed.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope, Writer } from "../kernel/Identity.ts"
import { MemoryRow } from "../memory/MemoryModel.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { inPlaces, inScope, placeColumns, PLACES_AT_ONCE, served, within } from "./ContextRowsClickhouse.ts"
import { OUTSIDE, printsWhole } from "./ForFileModel.ts"
import type { FileHead } from "./ForFileModel.ts"
import { ForFileStore, READ_LINE, READ_WHOLE } from "./ForFileStore.ts"
import type { WriterFilter } from "./ForFileStore.ts"

// A file with more memories than this is not described by memories; a head is some 300 bytes.
const MOST_HEADS = 2_000

type Place = Writer & { readonly memory_key: string }

/** A stored path as `repositoryPath` writes it. */
const storedPath: Fragment = ch.fragment`arrayStringConcat(arrayFilter(segment -> segment NOT IN ('', '.'),
  splitByChar('/', replaceAll(normalizeUTF8NFC(file), '\\\\', '/'))), '/')`

const HeadRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  namespace: Schema.String,
  memory_id: Schema.String,
  memory_type: Schema.String,
  tags: Schema.Array(Schema.String),
  pinned: Flag,
  conflict_with: Schema.Array(Schema.String),
  status: MemoryRow.fields.status,
  source_class: MemoryRow.fields.source_class,
  content_sha256: Schema.String,
  verified_kind: MemoryRow.fields.verified_kind,
  verified_sha256: Schema.String,
  source_resource_id: Schema.String,
  updated_at: EpochMillis,
  actor: Schema.String,
  total: UInt64
})
type HeadRow = typeof HeadRow.Type

const { total: _, ...headFields } = HeadRow.fields
const headColumns = ch.join(Object.keys(headFields).map((name) => ch.identifier(name)))

/** `isUnvouched`, for the engine: such rows are the first that the bound keeps from being read. */
const unvouched: Fragment = ch.fragment`(source_class IN ${ch.array("String", OUTSIDE)}
  AND (verified_kind = '' OR verified_sha256 != content_sha256))`

const heads = (scope: Scope, writer: WriterFilter, path: string, now: number): Statement =>
  ch.sql("ForFileStore.heads")`SELECT ${headColumns}, count() OVER () AS total FROM loom.memory FINAL
    WHERE ${within(scope, writer)} AND notEmpty(files) AND ${served(now)}
      AND arrayExists(file -> ${storedPath} = ${ch.string(path)}, files)
    ORDER BY ${unvouched}, pinned DESC, updated_at DESC, memory_id LIMIT ${ch.uint32(MOST_HEADS)}`

const StatedRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  by: Schema.String,
  at: EpochMillis
})

/** The first version behind the last one that said something else: pins, flags and restatements state nothing new. */
const stated = (scope: Scope, places: ReadonlyArray<Place>): Statement =>
  ch.sql("ForFileStore.stated")`SELECT ${placeColumns}, origin.3 AS by, origin.4 AS at FROM (
      SELECT ${placeColumns},
        arraySort(groupArray((version, content_sha256, actor, updated_at))) AS past,
        arrayLast(one -> one.2 != past[-1].2, past).1 AS before,
        arrayFirst(one -> one.1 > before, past) AS origin
      FROM loom.memory_versions FINAL
      WHERE ${inScope(scope)} AND ${inPlaces(places)} AND status != 'void'
      GROUP BY ${placeColumns}
    )`

const TextRow = Schema.Struct({ memory_id: Schema.String, text: Schema.String, cut: Flag })

const texts = (scope: Scope, places: ReadonlyArray<Place>, most: number): Statement => {
  const length = ch.uint32(most)
  return ch.sql("ForFileStore.texts")`SELECT memory_id, substringUTF8(value, 1, ${length}) AS text,
      lengthUTF8(value) > ${length} AS cut
    FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)} AND sensitivity != 'high' AND value_kind != 'redacted'`
}

const headOf = ({ actor, total: _, ...row }: HeadRow, origin: typeof StatedRow.Type | undefined): FileHead => ({
  ...row,
  statedBy: origin?.by ?? actor,
  statedAt: origin?.at ?? row.updated_at
})

export const make = (clickhouse: Clickhouse["Type"]): ForFileStore["Type"] => ({
  heads: Effect.fn("ForFileStore.heads")(function*(scope, writer, path, now) {
    const rows = yield* clickhouse.query(heads(scope, writer, path, now), HeadRow)
    if (rows.length === 0) return { heads: [], total: 0 }
    const origins = yield* Effect.forEach(
      Arr.chunksOf(rows, PLACES_AT_ONCE),
      (turn) => clickhouse.query(stated(scope, turn), StatedRow)
    )
    const byPlace = new Map(origins.flat().map((row) => [identityKey(row), row]))
    return {
      heads: rows.map((row) => headOf(row, byPlace.get(identityKey(row)))),
      total: Number(rows[0]?.total ?? 0n)
    }
  }),
  texts: Effect.fn("ForFileStore.texts")(function*(scope, asked) {
    const read = (places: ReadonlyArray<FileHead>, most: number) =>
      Effect.map(
        Effect.forEach(
          Arr.chunksOf(places, PLACES_AT_ONCE),
          (turn) => clickhouse.query(texts(scope, turn, most), TextRow)
        ),
        Arr.flatten
      )
    const [whole, lines] = yield* Effect.all([
      read(asked.filter(printsWhole), READ_WHOLE),
      read(asked.filter((head) => !printsWhole(head)), READ_LINE)
    ])
    return new Map([...whole, ...lines].map(({ cut, memory_id, text }) => [memory_id, { text, isCut: cut }]))
  })
})

export const layer: Layer.Layer<ForFileStore, never, Clickhouse> = Layer.effect(
  ForFileStore,
  Effect.map(Clickhouse, make)
)
