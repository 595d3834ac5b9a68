/**
 * The rows closest to a question's vector, by an exact scan of one scope. A derived row never changes under its place and
 * embedder, so the scan needs no FINAL. Two forms of it: `nearest` looks at every derived row and leaves the check of the
 * heads to its caller; `nearestServed` looks at served places alone.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { isServedPlace, placeColumns, PlaceFields, scanSettings, within } from "./SearchFilterClickhouse.ts"
import { KEY_DAMPING } from "./SearchIndex.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { SearchFilter } from "./SearchModel.ts"

export const NearRow = Schema.Struct({
  ...PlaceFields,
  of_value: Schema.Number,
  of_key: Schema.Number
})

/** Of equally close rows the later written comes first. */
const scan = (scope: Scope, filter: SearchFilter, query: QueryVector, limit: number, among: Fragment): Statement => {
  const vector = ch.array("Float32", Array.from(query.vector))
  return ch.sql("SearchIndex.vector", scanSettings)`
    SELECT ${placeColumns}, dotProduct(value_vector, ${vector}) AS of_value, dotProduct(key_vector, ${vector}) AS of_key
    FROM loom.memory_embeddings
    PREWHERE ${within(scope, filter)} AND embedder_id = ${ch.string(query.embedderId)} ${among}
    ORDER BY greatest(of_value, ${ch.float32(KEY_DAMPING)} * of_key) DESC, version DESC
    LIMIT ${ch.uint32(limit)}`
}

export const nearest = (scope: Scope, filter: SearchFilter, query: QueryVector, limit: number): Statement =>
  scan(scope, filter, query, limit, ch.empty)

export const nearestServed = (scope: Scope, filter: SearchFilter, query: QueryVector, limit: number): Statement =>
  scan(scope, filter, query, limit, ch.fragment`AND ${isServedPlace(scope, filter)}`)
