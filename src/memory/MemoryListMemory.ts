/**
 * A filtered list of heads over rows in memory: the same conditions, order and bounds that `MemoryListClickhouse` says
 * in SQL. Texts are ordered by their UTF-8 bytes, as ClickHouse orders them.
 */
import { isExpired, LIVE_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { Keyset, ListFilter, NamedThing, NamedThingPage, Page, SortBy, WriterFilter } from "./MemoryReader.ts"

export const isWriter = (row: MemoryRow, { agent, session_id, user_id }: WriterFilter): boolean =>
  (agent === null || row.agent === agent) && (user_id === null || row.user_id === user_id) &&
  (session_id === null || row.session_id === session_id)

const ended = (time: number | null, by: number): boolean => time !== null && time <= by

export const matches = (row: MemoryRow, filter: ListFilter): boolean => {
  const { contains, endedBefore, prefix } = filter
  const tags = row.tags.map((tag) => tag.toLowerCase())
  return isWriter(row, filter) &&
    (filter.expired !== undefined && isExpired(row) ? filter.expired : filter.statuses.includes(row.status)) &&
    (filter.run_id === null || row.run_id === filter.run_id) &&
    (filter.memory_type === null || row.memory_type === filter.memory_type) &&
    (filter.source_trace === null || row.source_trace === filter.source_trace) &&
    (prefix === null || row.memory_key.startsWith(prefix)) &&
    (filter.tags.length === 0 || filter.tags.some((tag) => tags.includes(tag.toLowerCase()))) &&
    filter.tags_every.every((tag) => row.tags.includes(tag)) &&
    filter.entities.every((entity) => row.entities.includes(entity)) &&
    (contains === null ||
      (row.sensitivity !== "high" && row.value.toLowerCase().includes(contains.toLowerCase()))) &&
    (!filter.pinned_only || row.pinned) &&
    (endedBefore === null || !LIVE_STATUSES.some((status) => status === row.status) ||
      !(ended(row.expires_at, endedBefore) || ended(row.valid_to, endedBefore)))
}

const compareText = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

/** Negative when the first comes first on the page: times newest first, keys A to Z, ties by id in the same direction. */
const compareRows = (sortBy: SortBy) => (left: MemoryRow, right: MemoryRow): number =>
  sortBy === "memory_key"
    ? compareText(left.memory_key, right.memory_key) || compareText(left.memory_id, right.memory_id)
    : right[sortBy] - left[sortBy] || compareText(right.memory_id, left.memory_id)

const isAfter = (sortBy: SortBy, { memory_id, value }: Keyset) => (row: MemoryRow): boolean => {
  const first = sortBy === "memory_key" ? compareText(row.memory_key, value) : Number(value) - row[sortBy]
  const second = compareText(row.memory_id, memory_id)
  return first > 0 || (first === 0 && (sortBy === "memory_key" ? second > 0 : second < 0))
}

export const pageOf = (
  rows: ReadonlyArray<MemoryRow>,
  { after, limit, offset, sort_by }: Page
): ReadonlyArray<MemoryRow> => {
  const rest = after === null ? [...rows] : rows.filter(isAfter(sort_by, after))
  return rest.sort(compareRows(sort_by)).slice(offset, offset + limit)
}

/** The named things of these rows, each with how many of them name it. */
export const namedThingsIn = (
  rows: ReadonlyArray<MemoryRow>,
  { after, limit, prefix }: NamedThingPage
): ReadonlyArray<NamedThing> => {
  const counts = new Map<string, number>()
  for (const row of rows) for (const name of new Set(row.entities)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([entity, memories]) => ({ entity, memories }))
    .filter(({ entity }) => entity.startsWith(prefix) && (after === null || compareText(entity, after) > 0))
    .sort((left, right) => compareText(left.entity, right.entity))
    .slice(0, limit)
}
