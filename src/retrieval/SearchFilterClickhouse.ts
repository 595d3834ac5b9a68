/**
 * Which rows a search may touch, as SQL. `within` is the scope and the writers, columns that every table leads with;
 * `served` is what a row must be to answer, `found` the rows that may; `isServedPlace` is what a derived row must be. Every statement of the search
 * starts from `inScope`, so none can read past its scope. What a caller gives is compared literally.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { versionsAsOf } from "../memory/AsOfClickhouse.ts"
import { earlierValues } from "../memory/EarlierClickhouse.ts"
import { HIDDEN_TYPES } from "../memory/MemoryType.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Settings } from "../platform/Clickhouse.ts"
import type { Place, SearchFilter } from "./SearchModel.ts"
import { COUNTED_STATUSES } from "./Suppressed.ts"

/** The condition that leads every statement. */
export const inScope = ({ namespace, org }: Scope): Fragment =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}`

/** The part of a filter that every table can answer. */
export type Writers = Pick<SearchFilter, "agent" | "user_id" | "session_ids">

/** The scope, then the writers as far as they are given, in the order of the sort keys. */
export const within = (scope: Scope, filter: Writers): Fragment =>
  ch.join([
    inScope(scope),
    ...(filter.agent === null ? [] : [ch.fragment`agent = ${ch.string(filter.agent)}`]),
    ...(filter.user_id === null ? [] : [ch.fragment`user_id = ${ch.string(filter.user_id)}`]),
    ...(filter.session_ids.length === 0 ? [] : [ch.fragment`session_id IN ${ch.array("String", filter.session_ids)}`])
  ], " AND ")

/** The columns of a place as they are read. */
export const PlaceFields = {
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  content_sha256: Schema.String
}

/** What names a place within a scope. */
export const placeColumns: Fragment = ch.fragment`agent, user_id, session_id, memory_key, content_sha256`

export const atPlaces = (places: ReadonlyArray<Place>): Fragment =>
  ch.fragment`(${placeColumns}) IN ${
    ch.tuples(
      ["String", "String", "String", "String", "String"],
      places.map((at) => [at.agent, at.user_id, at.session_id, at.memory_key, at.content_sha256])
    )
  }`

/** The same over the sort key of `loom.memory`, which the hash is no part of. */
export const atIdentities = (places: ReadonlyArray<Place>): Fragment =>
  ch.fragment`(agent, user_id, session_id, memory_key) IN ${
    ch.tuples(
      ["String", "String", "String", "String"],
      places.map((at) => [at.agent, at.user_id, at.session_id, at.memory_key])
    )
  }`

/** What a row must be to answer at the filter's time. */
export const served = (filter: SearchFilter): Fragment => ch.join([...standing(filter), ...passing(filter)], " AND ")

/** What a row must be whatever its state. */
const passing = (filter: SearchFilter): ReadonlyArray<Fragment> => [
  ch.fragment`sensitivity != 'high'`,
  filter.memory_type === null
    ? ch.fragment`memory_type NOT IN ${ch.array("String", HIDDEN_TYPES)}`
    : ch.fragment`memory_type = ${ch.string(filter.memory_type)}`,
  // Mostly there are few: the best of all rows are asked for it first, like for the types that are hidden.
  ...(filter.unverifiedExternal === false
    ? [ch.fragment`(source_class != 'external' OR (verified_kind != '' AND verified_sha256 = content_sha256))`]
    : []),
  ...narrowing(filter)
]

/** Whether a row's time is over at the filter's time; a replaced row ended with that. */
export const hasEnded = ({ now }: SearchFilter): Fragment => {
  const at = ch.dateTime64(now)
  return ch
    .fragment`(ifNull(expires_at <= ${at}, false) OR (ifNull(valid_to <= ${at}, false) AND status != 'superseded'))`
}

/** What a row must be whatever its state, so that a search may speak of it at all. */
export const passes = (filter: SearchFilter): Fragment => ch.join(passing(filter), " AND ")

/** What its state must be to answer; `served` is this and `passes`. */
export const isStanding = (filter: SearchFilter): Fragment => {
  const conditions = standing(filter)
  return conditions.length === 0 ? ch.fragment`true` : ch.join(conditions, " AND ")
}

/** The states in which a row that does not answer may be told of. */
export const mayBeTold: Fragment = ch.fragment`(status IN ${
  ch.array("String", COUNTED_STATUSES)
} OR (status = 'tombstoned' AND change = 'expire'))`

/** Status and ends by the clock that is asked about; what was true then has answered for both already. */
const standing = ({ asOf, now, statuses }: SearchFilter): ReadonlyArray<Fragment> => {
  if (asOf?.axis === "valid") return []
  const at = ch.dateTime64(asOf?.at ?? now)
  return [
    ch.fragment`status IN ${ch.array("String", statuses)}`,
    // A row that was replaced ended with that; whoever asks for such rows wants it.
    ch.fragment`(expires_at IS NULL OR expires_at > ${at})`,
    ch.fragment`(valid_to IS NULL OR valid_to > ${at} OR status = 'superseded')`
  ]
}

/**
 * The rows that may be found within identities, as a FROM with its WHERE: the heads, what these said before, or the
 * versions that answer at an instant. Of a memory that is of high sensitivity by now no earlier version is found either.
 */
export const found = (scope: Scope, filter: SearchFilter, identities: Fragment): Fragment =>
  filter.earlier === true
    ? ch.fragment`FROM ${earlierValues(identities, filter.now)} WHERE ${served(filter)}`
    : filter.asOf === undefined
    ? ch.fragment`FROM loom.memory FINAL WHERE ${identities} AND ${served(filter)}`
    : ch.fragment`FROM loom.memory_versions FINAL
        WHERE ${identities} AND version IN (${versionsAsOf(scope, identities, filter.asOf)})
          AND (agent, user_id, session_id, memory_key) NOT IN (
            SELECT agent, user_id, session_id, memory_key FROM loom.memory FINAL
            WHERE ${identities} AND sensitivity = 'high')
          AND ${served(filter)}`

/** Conditions on columns that only the head has, beyond being served. */
const narrowing = (filter: SearchFilter): ReadonlyArray<Fragment> => [
  ...(filter.run_id === null ? [] : [ch.fragment`run_id = ${ch.string(filter.run_id)}`]),
  ...(filter.tags.length === 0 ? [] : [ch.fragment`hasAny(tags, ${ch.array("String", filter.tags)})`]),
  ...(filter.tags_every.length === 0 ? [] : [ch.fragment`hasAll(tags, ${ch.array("String", filter.tags_every)})`]),
  ...(filter.tags_none.length === 0 ? [] : [ch.fragment`NOT hasAny(tags, ${ch.array("String", filter.tags_none)})`]),
  ...(filter.entities.length === 0 ? [] : [ch.fragment`hasAll(entities, ${ch.array("String", filter.entities)})`]),
  ...(filter.exclude_keys.length === 0
    ? []
    : [ch.fragment`memory_key NOT IN ${ch.array("String", filter.exclude_keys)}`]),
  ...(filter.created_after === null ? [] : [ch.fragment`created_at >= ${ch.dateTime64(filter.created_after)}`]),
  ...(filter.created_before === null ? [] : [ch.fragment`created_at < ${ch.dateTime64(filter.created_before)}`]),
  ...(filter.confidence_gte === null ? [] : [ch.fragment`confidence >= ${ch.float64(filter.confidence_gte)}`])
]

/** Whether the filter may leave out many served rows, so that the best of all rows say little about the best of these. */
export const isNarrow = (filter: SearchFilter): boolean => filter.memory_type !== null || narrowing(filter).length > 0

/**
 * Whether a derived row's place is that of a head that may answer. Places are compared by a 64-bit hash, which costs a
 * fifth of comparing five texts; two that collide are told apart when the heads are read.
 */
export const isServedPlace = (scope: Scope, filter: SearchFilter): Fragment =>
  ch.fragment`sipHash64(${placeColumns}) IN (
    SELECT sipHash64(${placeColumns}) ${found(scope, filter, within(scope, filter))}
  )`

/**
 * For statements that read a whole scope: one is shared out to every core. The engine's own limits, 163,840 rows and 240
 * MB, keep a namespace of 100,000 memories on one (measured there: 170 ms on one core, 94 on two).
 */
export const scanSettings: Settings = {
  merge_tree_min_rows_for_concurrent_read: 16_384,
  merge_tree_min_bytes_for_concurrent_read: 8_388_608
}
