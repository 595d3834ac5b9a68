/**
 * What a search reads by place once its legs have found something: the served heads, the copies derived from their
 * texts, and the words of passages. All are short keyed reads; each row is decoded by its schema.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { SourceClass, Status } from "../memory/MemoryModel.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { atIdentities, atPlaces, inScope, placeColumns, PlaceFields, served, within } from "./SearchFilterClickhouse.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { Passage, Place, SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"
import { countsOf } from "./WordsClickhouse.ts"

export const HeadRow = Schema.Struct({
  ...PlaceFields,
  memory_id: Schema.String,
  memory_type: Schema.String,
  tags: Schema.Array(Schema.String),
  entities: Schema.Array(Schema.String),
  status: Status,
  pinned: Flag,
  version: UInt64,
  created_at: EpochMillis,
  valid_at: Schema.NullOr(EpochMillis),
  source_class: SourceClass,
  confidence: Schema.Number,
  canonical_sha256: Schema.String
})

const headColumns = ch.join(Object.keys(HeadRow.fields).map((name) => ch.identifier(name)))

/**
 * The served heads of these identities, with whatever content they have by now; the caller compares the hashes. The last
 * version is picked from the few rows of each identity, which costs half of what FINAL does.
 */
export const heads = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>): Statement =>
  ch.sql("SearchIndex.heads")`SELECT ${headColumns} FROM (
      SELECT ${headColumns}, run_id, expires_at, valid_to, sensitivity FROM loom.memory
      PREWHERE ${within(scope, filter)} AND ${atIdentities(places)}
      ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
    ) WHERE ${served(filter)}`

export const DerivedRow = Schema.Struct({
  ...PlaceFields,
  excerpt: Schema.String,
  of_value: Schema.Number,
  of_key: Schema.Number,
  comparable: Flag,
  counts: Schema.Array(Schema.Number),
  words: Schema.Number
})

/** Vectors of another embedder are replaced by the question's before the product, which takes equal lengths alone. */
const products = ({ embedderId, vector }: QueryVector): Fragment => {
  const question = ch.array("Float32", Array.from(vector))
  const comparable = ch.fragment`embedder_id = ${ch.string(embedderId)}`
  return ch.fragment`${comparable} AS comparable,
      dotProduct(if(comparable, value_vector, ${question}), ${question}) AS of_value,
      dotProduct(if(comparable, key_vector, ${question}), ${question}) AS of_key`
}

export const derived = (
  scope: Scope,
  places: ReadonlyArray<Place>,
  terms: ReadonlyArray<TermGroup>,
  query: QueryVector | null
): Statement =>
  ch.sql("SearchIndex.derived")`
    SELECT ${placeColumns}, excerpt, ${countsOf(terms)} AS counts, toUInt32(stems.size0) AS words,
      ${query === null ? ch.fragment`false AS comparable, 0 AS of_value, 0 AS of_key` : products(query)}
    FROM loom.memory_embeddings
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
    ORDER BY comparable DESC
    LIMIT 1 BY ${placeColumns}`

export const PassageTextRow = Schema.Struct({ ...PlaceFields, chunk_index: Schema.Number, text: Schema.String })

export const passageTexts = (
  scope: Scope,
  asked: ReadonlyArray<{ readonly place: Place; readonly passage: Passage }>
): Statement =>
  ch.sql("SearchIndex.passages")`
    SELECT ${placeColumns}, chunk_index, text
    FROM loom.memory_chunks
    PREWHERE ${inScope(scope)} AND ${atPlaces(asked.map(({ place }) => place))}
      AND (memory_key, chunk_index) IN ${
    ch.tuples(["String", "UInt32"], asked.map(({ passage, place }) => [place.memory_key, passage.chunk_index]))
  }
    LIMIT 1 BY ${placeColumns}, chunk_index`
