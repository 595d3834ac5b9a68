/**
 * `EvidenceStore` on ClickHouse: two short keyed reads, the rows that may answer and, for values too long to be read
 * whole, the passages that were found in them. Keys are looked up by id within the scope, for a few memories at most.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { Flag } from "../platform/ClickhouseValue.ts"
import {
  atIdentities,
  atPlaces,
  found,
  inScope,
  placeColumns,
  PlaceFields,
  within
} from "../retrieval/SearchFilterClickhouse.ts"
import { placeKey } from "../retrieval/SearchModel.ts"
import type { Passage, Place, SearchFilter } from "../retrieval/SearchModel.ts"
import type { EvidenceText } from "./EvidenceModel.ts"
import { EvidenceStore } from "./EvidenceStore.ts"

// Two or three pages. A value is read whole up to here, since its best sentence may stand anywhere; of a longer one the
// passage that was found is the part that speaks to the question.
const LONGEST_WHOLE = 8_192
// As much as the index holds of a value that was found by its beginning.
const BEGINNING = 1_200

const Row = Schema.Struct({
  ...PlaceFields,
  text: Schema.String,
  cut: Flag,
  conflict_with: Schema.Array(Schema.String)
})

const rows = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>): Statement =>
  ch.sql("EvidenceStore.rows")`SELECT ${placeColumns}, length(value) > ${ch.uint32(LONGEST_WHOLE)} AS cut,
      if(cut, substringUTF8(value, 1, ${ch.uint32(BEGINNING)}), value) AS text,
      conflict_with
    ${found(scope, filter, ch.fragment`${within(scope, filter)} AND ${atIdentities(places)}`)}
      AND value_kind != 'redacted'`

const PassageRow = Schema.Struct({ ...PlaceFields, chunk_index: Schema.Number, text: Schema.String })

const passages = (scope: Scope, places: ReadonlyArray<Place>, indexes: ReadonlyArray<number>): Statement =>
  ch.sql("EvidenceStore.passages")`SELECT ${placeColumns}, chunk_index, text FROM loom.memory_chunks
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
    WHERE chunk_index IN ${ch.array("UInt32", indexes)}
    LIMIT 1 BY ${placeColumns}, chunk_index`

// More than a note can name.
const MOST_KEYS = 100

const KeyRow = Schema.Struct({ memory_key: Schema.String })

const keys = (scope: Scope, filter: SearchFilter, memoryIds: ReadonlyArray<string>): Statement =>
  ch.sql("EvidenceStore.keys")`SELECT DISTINCT memory_key
    ${
    found(
      scope,
      filter,
      ch.fragment`${within(scope, filter)} AND memory_id IN ${ch.array("String", memoryIds.slice(0, MOST_KEYS))}`
    )
  }
      AND value_kind != 'redacted'
    ORDER BY memory_key`

type Asked = ReadonlyArray<{ readonly place: Place; readonly passage: Passage | null }>

export const make = (clickhouse: Clickhouse["Type"]): EvidenceStore["Type"] => ({
  texts: Effect.fn("EvidenceStore.texts")(function*(scope, filter, asked: Asked) {
    if (asked.length === 0) return new Map()
    const wanted = new Map(asked.map((one) => [placeKey(one.place), one]))
    const read = yield* clickhouse.query(rows(scope, filter, asked.map(({ place }) => place)), Row)
    // A row whose content is another by now was not what was found.
    const current = read.filter((row) => wanted.has(placeKey(row)))
    const long = current.filter(({ cut }) => cut).flatMap((row) => {
      const passage = wanted.get(placeKey(row))?.passage ?? null
      return passage === null ? [] : [{ row, passage }]
    })
    const parts = long.length === 0 ? [] : yield* clickhouse.query(
      passages(scope, long.map(({ row }) => row), [...new Set(long.map(({ passage }) => passage.chunk_index))]),
      PassageRow
    )
    const partOf = (row: Place, { chunk_index }: Passage) =>
      parts.find((part) => part.chunk_index === chunk_index && placeKey(part) === placeKey(row))?.text
    return new Map(current.map((row): readonly [string, EvidenceText] => {
      const passage = row.cut ? wanted.get(placeKey(row))?.passage ?? null : null
      const part = passage === null ? undefined : partOf(row, passage)
      const { conflict_with } = row
      return [
        placeKey(row),
        part === undefined || passage === null
          ? { text: row.text, offset: 0, conflict_with }
          : { text: part, offset: passage.start, conflict_with }
      ]
    }))
  }),
  keys: Effect.fn("EvidenceStore.keys")((scope, filter, memoryIds) =>
    memoryIds.length === 0
      ? Effect.succeed([])
      : Effect.map(
        clickhouse.query(keys(scope, filter, memoryIds), KeyRow),
        (read) => read.map(({ memory_key }) => memory_key)
      )
  )
})

export const layer: Layer.Layer<EvidenceStore, never, Clickhouse> = Layer.effect(
  EvidenceStore,
  Effect.map(Clickhouse, make)
)
