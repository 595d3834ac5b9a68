/**
 * What a search reads by place once its legs have found something: the served heads, the copies derived from their
 * texts, and the words of passages. All are short keyed reads; each row is decoded by its schema.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { MemoryRow, Sensitivity, SourceClass, Status } from "../memory/MemoryModel.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { countsOf } from "../platform/ClickhouseTerms.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import {
  atIdentities,
  atPlaces,
  found,
  hasEnded,
  inScope,
  isServedPlace,
  isStanding,
  mayBeTold,
  passes,
  placeColumns,
  PlaceFields,
  served,
  within
} from "./SearchFilterClickhouse.ts"
import type { Writers } from "./SearchFilterClickhouse.ts"
import type { QueryVector } from "./SearchIndex.ts"
import { isOfPast } from "./SearchModel.ts"
import type { Place, SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"
import { cosine, withQuestion } from "./VectorLegClickhouse.ts"

export const SizeRow = Schema.Struct({ rows: Schema.Number })

/** How many derived rows a slice of a scope has. */
export const size = (slice: Scope & Writers): Statement =>
  ch.sql("SearchIndex.size")`SELECT toUInt32(count()) AS rows FROM loom.memory_embeddings WHERE ${within(slice, slice)}`

/** How many derived rows of a slice are of another embedder. */
export const ofOthers = (slice: Scope & Writers, embedderId: string): Statement =>
  ch.sql("SearchIndex.ofOthers")`
    SELECT toUInt32(count()) AS rows FROM loom.memory_embeddings
    PREWHERE ${within(slice, slice)} AND embedder_id != ${ch.string(embedderId)}`

/** How many served places of a slice have a derived row and none of this embedder. */
export const notEmbedded = (scope: Scope, filter: SearchFilter, embedderId: string): Statement =>
  ch.sql("SearchIndex.notEmbedded")`
    SELECT toUInt32(count()) AS rows FROM (
      SELECT 1 FROM loom.memory_embeddings PREWHERE ${within(scope, filter)} AND ${isServedPlace(scope, filter)}
      GROUP BY ${placeColumns} HAVING countIf(embedder_id = ${ch.string(embedderId)}) = 0)`

/** One or none: whether a scope has any passage. */
export const anyPassage = (scope: Scope): Statement =>
  ch.sql("SearchIndex.anyPassage")`
    SELECT toUInt32(count()) AS rows FROM (SELECT 1 FROM loom.memory_chunks PREWHERE ${inScope(scope)} LIMIT 1)`

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
  canonical_sha256: Schema.String,
  duplicate_of: Schema.String,
  verified_kind: MemoryRow.fields.verified_kind,
  verified_sha256: Schema.String,
  updated_at: EpochMillis,
  invalid_at: Schema.NullOr(EpochMillis),
  superseded_by: Schema.String,
  temporal_anchor: Schema.NullOr(EpochMillis),
  temporal_confidence: Schema.NullOr(Schema.Number),
  source_resource_id: Schema.String,
  reinforcement_count: Schema.Number,
  sensitivity: Sensitivity
})

export const headColumns: Fragment = ch.join(Object.keys(HeadRow.fields).map((name) => ch.identifier(name)))

/**
 * The rows that may be found within few identities, as a FROM with its WHERE. It gives what `found` does; the last
 * version is picked from the few rows of each identity, which costs half of what FINAL does.
 */
export const foundAmong = (scope: Scope, filter: SearchFilter, identities: Fragment): Fragment =>
  isOfPast(filter)
    ? found(scope, filter, identities)
    : ch.fragment`FROM (
      SELECT ${headColumns}, run_id, expires_at, valid_to FROM loom.memory
      PREWHERE ${identities}
      ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
    ) WHERE ${served(filter)}`

/** The memories of these ids that may be found. */
export const byIds = (scope: Scope, filter: SearchFilter, ids: ReadonlyArray<string>): Statement =>
  ch.sql("SearchIndex.byIds")`SELECT ${headColumns} ${
    found(
      scope,
      filter,
      ch.fragment`${within(scope, filter)} AND (agent, user_id, session_id, memory_key) IN (
        SELECT agent, user_id, session_id, memory_key FROM loom.memory
        WHERE ${within(scope, filter)} AND memory_id IN ${ch.array("String", ids)})`
    )
  } AND memory_id IN ${ch.array("String", ids)}`

/** A head with whether it may answer, and, of one that may not, whether that may be told and whether its time is over. */
export const StandingRow = Schema.Struct({ ...HeadRow.fields, is_served: Flag, is_hidden: Flag, ended: Flag })

/**
 * The heads of these identities that pass the filter, served or not, with whatever content they have by now; or the
 * versions that answer in their place. The caller compares the hashes.
 */
export const heads = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>): Statement => {
  const identities = ch.fragment`${within(scope, filter)} AND ${atIdentities(places)}`
  return isOfPast(filter)
    ? ch.sql("SearchIndex.heads")`
      SELECT ${headColumns}, true AS is_served, false AS is_hidden, false AS ended ${found(scope, filter, identities)}`
    : ch.sql("SearchIndex.heads")`
      SELECT ${headColumns}, (${isStanding(filter)}) AS is_served, (${mayBeTold}) AS is_hidden, ${
      hasEnded(filter)
    } AS ended
      FROM (
        SELECT ${headColumns}, run_id, expires_at, valid_to, change FROM loom.memory
        PREWHERE ${identities}
        ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
      ) WHERE ${passes(filter)}`
}

export const DerivedRow = Schema.Struct({
  ...PlaceFields,
  /** Whether the vectors are of the question's embedder, so that the cosines mean something. */
  is_compared: Flag,
  of_value: Schema.Number,
  of_key: Schema.Number,
  counts: Schema.Array(Schema.Number),
  words: Schema.Number,
  excerpt: Schema.String
})

// Vectors of another embedder may be longer or shorter; a sum of products over them would be an error of the statement.
const comparable = (column: Fragment): Fragment =>
  ch.fragment`if(is_compared, ${column}, arrayWithConstant(length(question), 0::Int8))`

/**
 * What was derived from the contents at these places: cosines with the question, counts of its words, and the excerpt. Of
 * a place with rows of several embedders that of the question's counts; the words are in each of them.
 */
export const derived = (
  scope: Scope,
  places: ReadonlyArray<Place>,
  query: QueryVector | null,
  terms: ReadonlyArray<TermGroup>
): Statement =>
  ch.sql("SearchIndex.derived")`
    ${
    query === null
      ? ch.fragment`WITH false AS is_compared, 0. AS of_value, 0. AS of_key`
      : ch.fragment`${withQuestion(query)}, embedder_id = ${ch.string(query.embedderId)} AS is_compared,
      ${cosine(comparable(ch.fragment`value_bytes`))} AS of_value, ${
        cosine(comparable(ch.fragment`key_bytes`))
      } AS of_key`
  }
    SELECT ${placeColumns}, is_compared, of_value, of_key, ${countsOf(terms)} AS counts, toUInt32(stems.size0) AS words,
      excerpt
    FROM loom.memory_embeddings
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
    ORDER BY is_compared DESC
    LIMIT 1 BY ${placeColumns}`

export const TextRow = Schema.Struct({
  ...PlaceFields,
  /** Where each begins, and its text. */
  passages: Schema.Array(Schema.Tuple(Schema.Number, Schema.String))
})

// Some eight thousand characters of a value: an excerpt shows one, and each is read and cut into words anew.
const MOST_PASSAGES = 8

/** The passages of each place that hold most of the groups. */
export const passageTexts = (
  scope: Scope,
  places: ReadonlyArray<Place>,
  terms: ReadonlyArray<TermGroup>
): Statement =>
  ch.sql("SearchIndex.passages")`
    SELECT ${placeColumns}, groupArray((start_at, text)) AS passages FROM (
      SELECT * FROM (
        SELECT ${placeColumns}, start_at, text, arrayCount(count -> count > 0, ${countsOf(terms)}) AS held
        FROM loom.memory_chunks
        PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
        LIMIT 1 BY ${placeColumns}, start_at
      )
      ORDER BY held DESC, start_at
      LIMIT ${ch.uint32(MOST_PASSAGES)} BY ${placeColumns}
    )
    GROUP BY ${placeColumns}`
