/**
 * `PackStore` on ClickHouse. What a section lists is found without reading a value; the values are read by key, for those
 * that may be shown.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { MemoryRow, SourceClass, Status } from "../memory/MemoryModel.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { inPlaces, inScope, placeColumns, PLACES_AT_ONCE, served, within } from "./ContextRowsClickhouse.ts"
import { MOST_LISTED, PackStore, READ_TEXT } from "./PackStore.ts"
import type { ListedSection, Place, Served, WriterFilter } from "./PackStore.ts"

const RULES = ["decision", "constraint"] as const

/** What a section lists. */
const kinds: Readonly<Record<ListedSection, Fragment>> = {
  session: ch.fragment`memory_type = 'episodic'`,
  profile: ch.fragment`memory_type IN ('profile', 'preference')`,
  decisions: ch.fragment`(memory_type IN ${ch.array("String", RULES)}
    OR hasAny(tags, ${ch.array("String", [...RULES, ...RULES.map((rule) => `kind:${rule}`)])}))`
}

const PlaceRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  total: UInt64
})

const listed = (scope: Scope, section: ListedSection, writer: WriterFilter, shown: Served): Statement =>
  ch.sql("PackStore.listed")`SELECT ${placeColumns}, count() OVER () AS total FROM loom.memory FINAL
    WHERE ${within(scope, writer)} AND ${kinds[section]} AND ${served(shown.now, shown.statuses)}${
    writer.run_id === null ? ch.empty : ch.fragment` AND run_id = ${ch.string(writer.run_id)}`
  }
    ORDER BY updated_at DESC, memory_id LIMIT ${ch.uint32(MOST_LISTED)}`

const MemoryAt = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  memory_id: Schema.String,
  memory_type: Schema.String,
  tags: Schema.Array(Schema.String),
  status: Status,
  source_class: SourceClass,
  source_resource_id: Schema.String,
  content_sha256: Schema.String,
  verified_kind: MemoryRow.fields.verified_kind,
  verified_sha256: Schema.String,
  created_at: EpochMillis,
  updated_at: EpochMillis,
  valid_at: Schema.NullOr(EpochMillis),
  temporal_anchor: Schema.NullOr(EpochMillis)
})
const columns = ch.join(Object.keys(MemoryAt.fields).map((name) => ch.identifier(name)))
const TextAt = Schema.Struct({ ...MemoryAt.fields, text: Schema.String, isCut: Flag })

const at = (scope: Scope, places: ReadonlyArray<Place>, shown: Served): Statement =>
  ch.sql("PackStore.at")`SELECT ${columns}, substringUTF8(value, 1, ${ch.uint32(READ_TEXT)}) AS text,
      lengthUTF8(value) > ${ch.uint32(READ_TEXT)} AS isCut
    FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND ${inPlaces(places)} AND ${served(shown.now, shown.statuses)}`

export const make = (clickhouse: Clickhouse["Type"]): PackStore["Type"] => ({
  listed: Effect.fn("PackStore.listed")(function*(scope, section, writer, shown) {
    const rows = yield* clickhouse.query(listed(scope, section, writer, shown), PlaceRow)
    return { places: rows, total: Number(rows[0]?.total ?? 0n) }
  }),
  at: Effect.fn("PackStore.at")((scope, places, shown) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(places, PLACES_AT_ONCE),
        (turn) => clickhouse.query(at(scope, turn, shown), TextAt)
      ),
      Arr.flatten
    )
  )
})

export const layer: Layer.Layer<PackStore, never, Clickhouse> = Layer.effect(PackStore, Effect.map(Clickhouse, make))
