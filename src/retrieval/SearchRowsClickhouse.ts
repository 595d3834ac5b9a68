/**
 * What a search reads by place once its legs have found something: the served heads, the copies derived from their
 * texts, and the words of passages. All are short keyed reads; each row is decoded by its schema.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { MemoryRow, SourceClass, Status } from "../memory/MemoryModel.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import {
  atIdentities,
  atPlaces,
  found,
  hasEnded,
  hiddenOnly,
  inScope,
  placeColumns,
  PlaceFields,
  served,
  within
} from "./SearchFilterClickhouse.ts"
import type { Writers } from "./SearchFilterClickhouse.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { Passage, Place, SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"
import { countsOf } from "./WordsClickhouse.ts"

export const SizeRow = Schema.Struct({ rows: Schema.Number })

/** How many derived rows a slice of a scope has. */
export const size = (slice: Scope & Writers): Statement =>
  ch.sql("SearchIndex.size")`SELECT toUInt32(count()) AS rows FROM loom.memory_embeddings WHERE ${within(slice, slice)}`

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
  reinforcement_count: Schema.Number
})

export const headColumns: Fragment = ch.join(Object.keys(HeadRow.fields).map((name) => ch.identifier(name)))

/**
 * The rows that may be found within few identities, as a FROM with its WHERE. It gives what `found` does; the last
 * version is picked from the few rows of each identity, which costs half of what FINAL does.
 */
export const foundAmong = (scope: Scope, filter: SearchFilter, identities: Fragment): Fragment =>
  filter.asOf !== undefined
    ? found(scope, filter, identities)
    : ch.fragment`FROM (
      SELECT ${headColumns}, run_id, expires_at, valid_to, sensitivity FROM loom.memory
      PREWHERE ${identities}
      ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
    ) WHERE ${served(filter)}`

/**
 * The served heads of these identities, with whatever content they have by now, or the versions that answer at the
 * instant asked about; the caller compares the hashes.
 */
export const heads = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>): Statement =>
  ch.sql("SearchIndex.heads")`SELECT ${headColumns} ${
    foundAmong(scope, filter, ch.fragment`${within(scope, filter)} AND ${atIdentities(places)}`)
  }`

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

export const HiddenRow = Schema.Struct({ ...HeadRow.fields, ended: Flag })

/** The heads of these identities that pass the filter and are not served: whatever they say by now, as `heads` does. */
export const hidden = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>): Statement =>
  ch.sql("SearchIndex.hidden")`SELECT ${headColumns}, ${hasEnded(filter)} AS ended FROM (
      SELECT ${headColumns}, run_id, expires_at, valid_to, sensitivity FROM loom.memory
      PREWHERE ${within(scope, filter)} AND ${atIdentities(places)}
      ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
    ) WHERE ${hiddenOnly(filter)}`

export const CosineRow = Schema.Struct({ ...PlaceFields, of_value: Schema.Number, of_key: Schema.Number })

export const cosines = (scope: Scope, places: ReadonlyArray<Place>, query: QueryVector): Statement => {
  const vector = ch.array("Float32", Array.from(query.vector))
  return ch.sql("SearchIndex.cosines")`
    SELECT ${placeColumns}, dotProduct(value_vector, ${vector}) AS of_value, dotProduct(key_vector, ${vector}) AS of_key
    FROM loom.memory_embeddings
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)} AND embedder_id = ${ch.string(query.embedderId)}
    LIMIT 1 BY ${placeColumns}`
}

export const CountsRow = Schema.Struct({ ...PlaceFields, counts: Schema.Array(Schema.Number), words: Schema.Number })

export const counts = (scope: Scope, places: ReadonlyArray<Place>, terms: ReadonlyArray<TermGroup>): Statement =>
  ch.sql("SearchIndex.counts")`
    SELECT ${placeColumns}, ${countsOf(terms)} AS counts, toUInt32(stems.size0) AS words
    FROM loom.memory_embeddings
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
    LIMIT 1 BY ${placeColumns}`

export const TextRow = Schema.Struct({ ...PlaceFields, text: Schema.String })

export const excerpts = (scope: Scope, places: ReadonlyArray<Place>): Statement =>
  ch.sql("SearchIndex.excerpts")`
    SELECT ${placeColumns}, excerpt AS text
    FROM loom.memory_embeddings
    PREWHERE ${inScope(scope)} AND ${atPlaces(places)}
    LIMIT 1 BY ${placeColumns}`

/** One passage a place. */
export const passageTexts = (
  scope: Scope,
  asked: ReadonlyArray<{ readonly place: Place; readonly passage: Passage }>
): Statement =>
  ch.sql("SearchIndex.passages")`
    SELECT ${placeColumns}, text
    FROM loom.memory_chunks
    PREWHERE ${inScope(scope)} AND (${placeColumns}, chunk_index) IN ${
    ch.tuples(
      ["String", "String", "String", "String", "String", "UInt32"],
      asked.map(({ passage, place: at }) => [
        at.agent,
        at.user_id,
        at.session_id,
        at.memory_key,
        at.content_sha256,
        passage.chunk_index
      ])
    )
  }
    LIMIT 1 BY ${placeColumns}`
