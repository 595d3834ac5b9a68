/**
 * A filtered list of heads, or of the rows that answer at an instant, as SQL: the conditions of a `ListFilter` and the order and bounds of a `Page`. What a caller
 * gives is compared literally; no wildcard has a meaning here.
 */
import type { Scope } from "../kernel/Identity.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { versionsAsOf } from "./AsOfClickhouse.ts"
import { earlierValues } from "./EarlierClickhouse.ts"
import { LIVE_STATUSES } from "./MemoryModel.ts"
import type { Keyset, ListFilter, Page, SortBy, WriterFilter } from "./MemoryReader.ts"
import { inScope, place, rowColumns } from "./MemoryRowsClickhouse.ts"

const equals = (
  column: "agent" | "user_id" | "session_id" | "run_id" | "memory_type" | "source_trace",
  value: string | null
) => value === null ? [] : [ch.fragment`${ch.identifier(column)} = ${ch.string(value)}`]

/** The scope, and the writer as far as it is given, in the order of the sort key. */
export const byWriter = (scope: Scope, { agent, session_id, user_id }: WriterFilter): Fragment =>
  ch.join(
    [inScope(scope), ...equals("agent", agent), ...equals("user_id", user_id), ...equals("session_id", session_id)],
    " AND "
  )

/** Whole identities: what a subquery may be narrowed to. */
const identitiesOf = (scope: Scope, filter: ListFilter): Fragment =>
  ch.join([
    byWriter(scope, filter),
    ...(filter.prefix === null ? [] : [ch.fragment`startsWith(memory_key, ${ch.string(filter.prefix)})`])
  ], " AND ")

const matching = (scope: Scope, filter: ListFilter): Fragment => {
  const { asOf, contains, endedBefore, entities, tags, tags_every } = filter
  const identities = identitiesOf(scope, filter)
  return ch.join([
    identities,
    ...(asOf === undefined ? [] : [ch.fragment`version IN (${versionsAsOf(scope, identities, asOf)})`]),
    inStatuses(filter),
    ...equals("run_id", filter.run_id),
    ...equals("memory_type", filter.memory_type),
    ...equals("source_trace", filter.source_trace),
    ...(tags.length === 0
      ? []
      : [
        ch.fragment`hasAny(arrayMap(tag -> lowerUTF8(tag), tags), arrayMap(tag -> lowerUTF8(tag), ${
          ch.array("String", tags)
        }))`
      ]),
    ...(tags_every.length === 0 ? [] : [ch.fragment`hasAll(tags, ${ch.array("String", tags_every)})`]),
    ...(entities.length === 0 ? [] : [ch.fragment`hasAll(entities, ${ch.array("String", entities)})`]),
    // A value that is withheld must not be guessed by asking what it contains.
    ...(contains === null
      ? []
      : [ch.fragment`sensitivity != 'high' AND positionCaseInsensitiveUTF8(value, ${ch.string(contains)}) > 0`]),
    ...(contains === null || asOf === undefined
      ? []
      : [ch.fragment`${place} NOT IN (
          SELECT agent, user_id, session_id, memory_key FROM loom.memory FINAL
          WHERE ${inScope(scope)} AND sensitivity = 'high')`]),
    ...(filter.pinned_only ? [ch.fragment`pinned`] : []),
    ...(endedBefore === null ? [] : [notEnded(endedBefore)])
  ], " AND ")
}

/** As `isExpired` tells them. */
const inStatuses = ({ expired, statuses }: ListFilter): Fragment => {
  const asked = ch.fragment`status IN ${ch.array("String", statuses)}`
  const byExpiry = ch.fragment`(status = 'tombstoned' AND change = 'expire')`
  return expired === undefined
    ? asked
    : expired
    ? ch.fragment`(${asked} OR ${byExpiry})`
    : ch.fragment`(${asked} AND NOT ${byExpiry})`
}

const notEnded = (time: number): Fragment => {
  const at = ch.dateTime64(time)
  return ch.fragment`(status NOT IN ${
    ch.array("String", LIVE_STATUSES)
  } OR ((expires_at IS NULL OR expires_at > ${at}) AND (valid_to IS NULL OR valid_to > ${at})))`
}

const after = (sortBy: SortBy, { memory_id, value, version = 0n }: Keyset): Fragment => {
  const id = ch.string(memory_id)
  const isEarlier = ch.fragment`memory_id = ${id} AND version < ${ch.uint64(version)}`
  if (sortBy === "memory_key") {
    const key = ch.string(value)
    return ch.fragment`((memory_key, memory_id) > (${key}, ${id}) OR (memory_key = ${key} AND ${isEarlier}))`
  }
  const [column, time] = [ch.identifier(sortBy), ch.dateTime64(Number(value))]
  return ch.fragment`((${column}, memory_id) < (${time}, ${id}) OR (${column} = ${time} AND ${isEarlier}))`
}

const order = (sortBy: SortBy): Fragment =>
  sortBy === "memory_key"
    ? ch.fragment`memory_key, memory_id, version DESC`
    : ch.fragment`${ch.identifier(sortBy)} DESC, memory_id DESC, version DESC`

const rows = (scope: Scope, filter: ListFilter): Fragment => {
  if (filter.asOf !== undefined) return ch.fragment`loom.memory_versions FINAL`
  if (filter.earlierAt === undefined) return ch.fragment`loom.memory FINAL`
  const identities = identitiesOf(scope, filter)
  return ch.fragment`(SELECT ${rowColumns} FROM loom.memory FINAL WHERE ${identities}
    UNION ALL SELECT ${rowColumns} FROM ${earlierValues(identities, filter.earlierAt)})`
}

/** Ties are broken by id and version, so that a page never repeats or skips a row that stays. */
export const list = (scope: Scope, filter: ListFilter, page: Page): Statement =>
  ch.sql("MemoryReader.list")`SELECT ${rowColumns} FROM ${rows(scope, filter)}
    WHERE ${matching(scope, filter)}${
    page.after === null ? ch.empty : ch.fragment` AND ${after(page.sort_by, page.after)}`
  }
    ORDER BY ${order(page.sort_by)} LIMIT ${ch.uint32(page.limit)} OFFSET ${ch.uint32(page.offset)}`

export const count = (scope: Scope, filter: ListFilter): Statement =>
  ch.sql("MemoryReader.count")`SELECT count() AS found FROM ${rows(scope, filter)} WHERE ${matching(scope, filter)}`
