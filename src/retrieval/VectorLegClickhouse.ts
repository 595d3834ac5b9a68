/**
 * The rows closest to a question's vector, within one scope. The signs of all its rows are compared first, which reads a
 * thirty-second of what the vectors take; the best some hundred are then put into order by their 8-bit numbers. A derived
 * row never changes under its place and embedder, so the scan needs no FINAL. Two forms of it: `nearest` looks at every
 * derived row and leaves the check of the heads to its caller; `nearestServed` looks at served places alone. The filter
 * acts before the signs do, so the best of a small slice are chosen among that slice.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { countsOf } from "../platform/ClickhouseTerms.ts"
import { isServedPlace, placeColumns, PlaceFields, scanSettings, within } from "./SearchFilterClickhouse.ts"
import { KEY_DAMPING } from "./SearchIndex.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

export const NearRow = Schema.Struct({
  ...PlaceFields,
  of_value: Schema.Number,
  of_key: Schema.Number,
  counts: Schema.Array(Schema.Number),
  words: Schema.Number,
  excerpt: Schema.String
})
export type NearRow = typeof NearRow.Type

/**
 * How many rows the signs choose for each one wanted, and how many at least. A slice of no more rows is compared whole.
 */
const DEPTH = 10
const LEAST_DEPTH = 500

/** The question's vector as `question`, and the signs of its numbers as `signs`: names for the whole of a statement. */
export const withQuestion = ({ vector }: QueryVector): Fragment =>
  ch.fragment`WITH ${ch.array("Float32", Array.from(vector))} AS question,
      unbin(arrayStringConcat(arrayMap(x -> if(x > 0, '1', '0'), question))) AS signs`

/** The cosine of `question` with a row's vector, from its 8-bit numbers: within 0.002 of what the whole numbers give. */
export const cosine = (bytes: Fragment): Fragment =>
  ch.fragment`dotProduct(${bytes}, question) / greatest(L2Norm(${bytes}), 1)`

// Of two vectors at an angle, the share of signs that differ is the share of a half turn that the angle is.
const nearBySigns = (signs: Fragment): Fragment =>
  ch.fragment`cos(pi() * bitHammingDistance(${signs}, signs) / length(question))`

/** What the rows are to be close to, and the words that are counted in them. */
export interface Near {
  readonly query: QueryVector
  readonly terms: ReadonlyArray<TermGroup>
}

/** Of equally close rows the later written comes first. */
const scan = (
  scope: Scope,
  filter: SearchFilter,
  { query, terms }: Near,
  limit: number,
  among: Fragment
): Statement =>
  ch.sql("SearchIndex.vector", scanSettings)`
    ${withQuestion(query)}
    SELECT ${placeColumns}, ${cosine(ch.fragment`value_bytes`)} AS of_value, ${
    cosine(ch.fragment`key_bytes`)
  } AS of_key,
      ${countsOf(terms)} AS counts, words, excerpt
    FROM (
      SELECT ${placeColumns}, version, value_bytes, key_bytes, terms, toUInt32(stems.size0) AS words, excerpt
      FROM loom.memory_embeddings
      PREWHERE ${within(scope, filter)} AND embedder_id = ${ch.string(query.embedderId)} ${among}
      ORDER BY greatest(${nearBySigns(ch.fragment`value_signs`)}, ${ch.float64(KEY_DAMPING)} * ${
    nearBySigns(ch.fragment`key_signs`)
  }) DESC, version DESC
      LIMIT ${ch.uint32(Math.max(LEAST_DEPTH, DEPTH * limit))}
    )
    ORDER BY greatest(of_value, ${ch.float64(KEY_DAMPING)} * of_key) DESC, version DESC
    LIMIT ${ch.uint32(limit)}`

export const nearest = (scope: Scope, filter: SearchFilter, near: Near, limit: number): Statement =>
  scan(scope, filter, near, limit, ch.empty)

export const nearestServed = (scope: Scope, filter: SearchFilter, near: Near, limit: number): Statement =>
  scan(scope, filter, near, limit, ch.fragment`AND ${isServedPlace(scope, filter)}`)
