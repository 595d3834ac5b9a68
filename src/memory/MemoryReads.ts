/**
 * The handlers of the plain reads: get, get_by_id, list and history. They never pass the actor. What the caller may not
 * read looks exactly like what does not exist.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { causeIn } from "./MemoryCause.ts"
import { decodeCursor, encodeCursor, filterHash } from "./MemoryCursor.ts"
import { isServed, SERVED_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { ListFilter, SortBy, WriterFilter } from "./MemoryReader.ts"
import { MemoryGet, MemoryGetById, MemoryHistory, MemoryList } from "./MemoryVerbs.ts"
import { project, viewOf } from "./MemoryViews.ts"

const DEFAULT_PAGE = 50

const writerOf = (
  caller: Caller,
  request: {
    readonly agent?: string | undefined
    readonly user_id?: string | undefined
    readonly session_id?: string | undefined
  }
): { readonly writer: WriterFilter; readonly none: boolean } => {
  const { none, user } = readableUser(caller, request.user_id)
  return { writer: { agent: request.agent ?? null, user_id: user, session_id: request.session_id ?? null }, none }
}

const missed = { found: false, degraded: [] } as const

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryReader> = Effect.gen(function*() {
  const reader = yield* MemoryReader

  /** The row that answers for another: its canonical row, or the one that replaced it. */
  const answering = (scope: Scope, row: MemoryRow, writer: WriterFilter) =>
    Effect.gen(function*() {
      const id = row.status === "duplicate" ? row.duplicate_of : row.status === "superseded" ? row.superseded_by : ""
      if (id === "") return undefined
      const rows = yield* reader.byId(scope, id, { agent: null, user_id: writer.user_id, session_id: null })
      return rows[0]
    })

  const get = (request: Payload<typeof MemoryGet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, writer } = writerOf(caller, request)
      if (none) return missed
      const now = yield* Clock.currentTimeMillis
      const rows = (yield* reader.byKey(scope, request.memory_key, writer)).filter((row) => row.status !== "void")
      const served = rows.filter((row) => isServed(row, now))
      const row = served[0]
      if (row === undefined) {
        const last = rows[0]
        if (last === undefined) return missed
        const other = yield* answering(scope, last, writer)
        const status = last.status === "active" || last.status === "conflicted" ? "expired" : last.status
        if (request.follow !== true || other === undefined || !isServed(other, now)) {
          return {
            ...missed,
            status,
            memory_id: last.memory_id,
            canonical_key: other?.memory_key ?? null,
            duplicate_of: last.duplicate_of === "" ? null : last.duplicate_of,
            superseded_by: last.superseded_by === "" ? null : last.superseded_by
          }
        }
        return {
          found: true,
          resolved_from: request.memory_key,
          canonical_key: other.memory_key,
          degraded: [],
          ...project(viewOf(other, { reveal: true, previewCharacters: null }), request.fields)
        }
      }
      if (request.if_version !== undefined && request.if_version === row.version.toString()) {
        return { found: true, unchanged: true, version_text: row.version.toString(), degraded: [] }
      }
      return {
        found: true,
        ...(request.if_version === undefined ? {} : { unchanged: false }),
        ...(served.length > 1 ? { other_writers: served.length - 1 } : {}),
        degraded: [],
        ...project(viewOf(row, { reveal: true, previewCharacters: null }), request.fields)
      }
    })

  const getById = (request: Payload<typeof MemoryGetById>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { writer } = writerOf(caller, {})
      const now = yield* Clock.currentTimeMillis
      const row = (yield* reader.byId(scope, request.memory_id, writer))[0]
      if (row === undefined || row.status === "void") return missed
      const status = isServed(row, now)
        ? row.status
        : row.status === "active" || row.status === "conflicted"
        ? "expired"
        : row.status
      if (row.status === "tombstoned" || row.status === "rejected" || status === "expired") {
        return { ...missed, status, memory_id: row.memory_id, memory_key: row.memory_key }
      }
      return {
        found: true,
        degraded: [],
        ...project(viewOf(row, { reveal: false, previewCharacters: null }), request.fields)
      }
    })

  const list = (request: Payload<typeof MemoryList>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, writer } = writerOf(caller, request)
      if (none) return { memories: [], total: 0, next_cursor: null, degraded: [] }
      const now = yield* Clock.currentTimeMillis
      const filter = filterOf(request, writer, now)
      const total = yield* reader.count(scope, filter)
      if (request.count_only === true) return { memories: [], total, next_cursor: null, degraded: [] }
      const sort_by: SortBy = request.sort_by ?? "created_at"
      const { endedBefore: _, ...bound } = filter
      const hash = filterHash({ ...bound, sort_by, ...scope })
      const after = request.cursor === undefined ? null : yield* decodeCursor(request.cursor, hash, sort_by)
      if (after !== null && request.offset !== undefined) {
        return yield* refuse("INVALID_ARGUMENT", "`offset` and `cursor` exclude each other", { field: "offset" })
      }
      const limit = request.limit ?? DEFAULT_PAGE
      const rows = yield* reader.list(scope, filter, { sort_by, after, limit: limit + 1, offset: request.offset ?? 0 })
      const page = rows.slice(0, limit)
      const last = page[page.length - 1]
      const options = { reveal: false, previewCharacters: request.preview_chars ?? null }
      return {
        memories: page.map((row) => project(viewOf(row, options), request.fields)),
        total,
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor(placeOf(last, sort_by), hash) : null,
        degraded: []
      }
    })

  const history = (request: Payload<typeof MemoryHistory>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, writer } = writerOf(caller, request)
      if (request.memory_key === undefined && request.memory_id === undefined) {
        return yield* refuse("INVALID_ARGUMENT", "`memory_key` or `memory_id` is needed", { field: "memory_key" })
      }
      const heads = none
        ? []
        : request.memory_id !== undefined
        ? yield* reader.byId(scope, request.memory_id, writer)
        : yield* reader.byKey(scope, request.memory_key ?? "", writer)
      const limit = request.limit ?? DEFAULT_PAGE
      const before = request.before_version === undefined ? null : BigInt(request.before_version)
      const rows = heads.length === 0 ? [] : yield* reader.history(scope, heads, { before, limit: limit + 1 })
      const page = rows.slice(0, limit)
      return {
        versions: page.filter((row) => row.status !== "void").map((row) => ({
          ...viewOf(row, { reveal: false, previewCharacters: null }),
          change: row.change,
          write_id: row.write_id,
          cause: causeIn(row.cause)
        })),
        next_before_version: rows.length > limit ? page[page.length - 1]?.version.toString() ?? null : null,
        degraded: []
      }
    })

  return [bind(MemoryGet, get), bind(MemoryGetById, getById), bind(MemoryList, list), bind(MemoryHistory, history)]
})

const placeOf = (row: MemoryRow, sort_by: SortBy) => ({
  value: sort_by === "memory_key" ? row.memory_key : String(row[sort_by]),
  memory_id: row.memory_id
})

const filterOf = (request: Payload<typeof MemoryList>, writer: WriterFilter, now: number): ListFilter => {
  const statuses: Array<Status> = [...SERVED_STATUSES]
  if (request.include_duplicates === true) statuses.push("duplicate")
  if (request.include_superseded === true) statuses.push("superseded")
  if (request.include_proposed === true) statuses.push("proposed")
  if (request.include_tombstoned === true) statuses.push("tombstoned")
  return {
    ...writer,
    run_id: request.run_id ?? null,
    prefix: request.prefix ?? null,
    memory_type: request.memory_type ?? null,
    source_trace: request.source_trace ?? null,
    tags: request.tags ?? [],
    tags_every: request.tags_every ?? [],
    entities: (request.entity_filter ?? []).map(canonicalEntity),
    contains: request.contains ?? null,
    pinned_only: request.pinned_only ?? false,
    statuses: request.conflicted_only === true ? ["conflicted"] : statuses,
    endedBefore: now
  }
}
