/**
 * The handlers of the plain reads: get, get_by_id, list and history. They never pass the actor, but for the note that a
 * high-sensitivity value was read. What the caller may not read looks exactly like what does not exist.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { TRUE_STATUSES } from "./AsOf.ts"
import { asOfOf, presentOnly, unheeded } from "./AsOfFields.ts"
import type { Instant } from "./InstantModel.ts"
import { causeOf, hiddenIn } from "./LinkedRows.ts"
import { MemoryClient } from "./MemoryClient.ts"
import { cursorAfter, keysetOf } from "./MemoryCursor.ts"
import { isExpired, isOut, isServed, servedIn } from "./MemoryModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { ListFilter, Place, SortBy, WriterFilter } from "./MemoryReader.ts"
import { answersAt } from "./MemoryReplay.ts"
import { metaOf } from "./MemoryRequest.ts"
import { MemoryUsageStore } from "./MemoryUsageStore.ts"
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

// Chains are as long as a fact was replaced under other keys; a longer one is damage.
const MOST_HOPS = 64

/** What became of a row that does not answer; a live one has ended. */
const statusOf = (row: MemoryRow): string =>
  row.status === "active" || row.status === "conflicted" || isExpired(row) ? "expired" : row.status

const placesIn = (places: ReadonlyArray<Place>): (place: Place) => boolean => {
  const keys = new Set(places.map(identityKey))
  return (place) => keys.has(identityKey(place))
}

type Needs = MemoryReader | MemoryClient | MemoryUsageStore | Cursors

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const reader = yield* MemoryReader
  const client = yield* MemoryClient
  const cursors = yield* Cursors
  const usages = yield* MemoryUsageStore

  /** How a row served, where that was asked for. */
  const usageOf = (scope: Scope, { memory_id }: MemoryRow, isAsked: boolean | undefined) =>
    isAsked !== true ? Effect.succeed({}) : Effect.map(usages.find(scope, [memory_id]), ([usage]) => ({
      used_count: usage?.used_count ?? 0,
      harm_count: usage?.harm_count ?? 0,
      last_used_at: usage === undefined ? null : new Date(usage.last_at).toISOString()
    }))

  /** A row as a read by key shows it; a high-sensitivity value is shown once the read is in the audit chain. */
  const shown = (
    scope: Scope,
    row: MemoryRow,
    fields: ReadonlyArray<string> | undefined,
    caller: Caller,
    now: number | null
  ) =>
    Effect.gen(function*() {
      const showsValue = fields === undefined || fields.length === 0 || fields.includes("value")
      if (row.sensitivity === "high" && showsValue) {
        const meta = yield* metaOf(MemoryGet.tag, {}, caller, "asserted")
        const { content_sha256, memory_id } = row
        yield* client.auditRead(scope, { _tag: "memory.audit_read", meta, memory_id, content_sha256 })
      }
      const hidden = yield* hiddenIn(reader, scope, caller.boundUser, [row], false)
      return project(viewOf(row, { now, reveal: true, hidden, previewCharacters: null }), fields)
    })

  /** The served row at the end of the chain that a row leads to: its canonical row, or what replaced it. */
  const answering = (scope: Scope, from: MemoryRow, bound: string | null, now: number) =>
    Effect.gen(function*() {
      const seen = new Set([from.memory_id])
      let row = from
      for (let hop = 0; hop < MOST_HOPS; hop++) {
        const id = row.status === "duplicate" ? row.duplicate_of : row.status === "superseded" ? row.superseded_by : ""
        if (id === "" || seen.has(id)) return undefined
        seen.add(id)
        const [next] = yield* reader.byId(scope, id, { agent: null, user_id: bound, session_id: null })
        if (next === undefined || next.status === "void") return undefined
        if (isServed(next, now)) return next
        row = next
      }
      return undefined
    })

  const get = (request: Payload<typeof MemoryGet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, writer } = writerOf(caller, request)
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      yield* presentOnly(asOf, request, ["follow"])
      if (none) return { ...missed, ...asOf?.said }
      const rows = (yield* reader.byKey(scope, request.memory_key, writer)).filter((row) => row.status !== "void")
      const served = asOf === null
        ? rows.filter((row) => isServed(row, now))
        : yield* answersAt(reader, scope, rows, asOf.instant)
      const row = served[0]
      if (row === undefined) {
        const last = rows[0]
        if (asOf !== null) return { ...missed, ...asOf.said }
        if (last === undefined) return missed
        const other = yield* answering(scope, last, caller.boundUser, now)
        if (request.follow !== true || other === undefined) {
          // A bound token is told of another row only where it may read the one that answers.
          const named = caller.boundUser === null || other !== undefined
          return {
            ...missed,
            status: statusOf(last),
            memory_id: last.memory_id,
            canonical_key: other?.memory_key ?? null,
            duplicate_of: named && last.duplicate_of !== "" ? last.duplicate_of : null,
            superseded_by: named && last.superseded_by !== "" ? last.superseded_by : null
          }
        }
        return {
          found: true,
          resolved_from: request.memory_key,
          canonical_key: other.memory_key,
          degraded: [],
          ...(yield* usageOf(scope, other, request.include_usage)),
          ...(yield* shown(scope, other, request.fields, caller, now))
        }
      }
      if (request.if_version !== undefined && request.if_version === row.version.toString()) {
        return { found: true, unchanged: true, version_text: row.version.toString(), ...asOf?.said, degraded: [] }
      }
      return {
        found: true,
        ...(request.if_version === undefined ? {} : { unchanged: false }),
        ...(served.length > 1 ? { other_writers: served.length - 1 } : {}),
        ...asOf?.said,
        degraded: [],
        ...(yield* usageOf(scope, row, request.include_usage)),
        ...(yield* shown(scope, row, request.fields, caller, asOf === null ? now : null))
      }
    })

  const getById = (request: Payload<typeof MemoryGetById>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { writer } = writerOf(caller, {})
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      const head = (yield* reader.byId(scope, request.memory_id, writer))[0]
      if (head === undefined || head.status === "void") return { ...missed, ...asOf?.said }
      const row = asOf === null ? head : (yield* answersAt(reader, scope, [head], asOf.instant))[0]
      if (row === undefined) return { ...missed, ...asOf?.said }
      if (asOf === null) {
        const status = isServed(row, now) ? row.status : statusOf(row)
        if (isOut(row.status) || status === "expired") {
          return { ...missed, status, memory_id: row.memory_id, memory_key: row.memory_key }
        }
      }
      const withhold = head.sensitivity === "high"
      const hidden = yield* hiddenIn(reader, scope, caller.boundUser, [row], false)
      const options = {
        now: asOf === null ? now : null,
        reveal: false,
        withhold,
        hidden,
        previewCharacters: null
      }
      return { found: true, ...asOf?.said, degraded: [], ...project(viewOf(row, options), request.fields) }
    })

  const list = (request: Payload<typeof MemoryList>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, writer } = writerOf(caller, request)
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      yield* presentOnly(asOf, request, ["known_version", "include_expired"])
      const about = { ...asOf?.said, ...unheeded(asOf, request, INCLUDES), degraded: [] }
      if (none) return { memories: [], total: 0, next_cursor: null, ...about }
      const filter = filterOf(request, writer, asOf?.instant, now)
      // Read before the rows: a change in between shows as one to the next poll.
      const latest = asOf === null ? (yield* reader.latest(scope, writer, now)).toString() : undefined
      const version = latest === undefined ? {} : { version_text: latest }
      const unchanged = request.known_version === undefined ? {} : { unchanged: request.known_version === latest }
      if (request.count_only === true || unchanged.unchanged === true) {
        const total = yield* reader.count(scope, filter)
        return { memories: [], total, next_cursor: null, ...version, ...unchanged, ...about }
      }
      const sort_by: SortBy = request.sort_by ?? "created_at"
      const { asOf: _, earlierAt: ___, endedBefore: __, ...bound } = filter
      const listing = {
        verb: MemoryList.tag,
        caller,
        filter: { ...bound, sort_by, ...scope, ...placeInTime(request) }
      }
      const after = yield* keysetOf(cursors, listing, request.cursor)
      if (after !== null && request.offset !== undefined) {
        return yield* refuse("INVALID_ARGUMENT", "`offset` and `cursor` exclude each other", { field: "offset" })
      }
      const limit = request.limit ?? DEFAULT_PAGE
      const rows = yield* reader.list(scope, filter, { sort_by, after, limit: limit + 1, offset: request.offset ?? 0 })
      const page = rows.slice(0, limit)
      const last = page[page.length - 1]
      const isWhole = after === null && request.offset === undefined && rows.length <= limit
      const total = isWhole ? rows.length : yield* reader.count(scope, filter)
      const high = placesIn(asOf === null || page.length === 0 ? [] : yield* reader.withheld(scope, page))
      const options = {
        now: asOf === null ? now : null,
        reveal: false,
        hidden: yield* hiddenIn(reader, scope, caller.boundUser, page, false),
        previewCharacters: request.preview_chars ?? null
      }
      return {
        memories: page.map((row) => project(viewOf(row, { ...options, withhold: high(row) }), request.fields)),
        total,
        next_cursor: rows.length > limit && last !== undefined
          ? yield* cursorAfter(cursors, listing, placeOf(last, sort_by))
          : null,
        ...version,
        ...unchanged,
        ...about
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
      const high = placesIn(heads.filter(({ sensitivity }) => sensitivity === "high"))
      const hidden = yield* hiddenIn(reader, scope, caller.boundUser, page, true)
      return {
        versions: page.filter((row) => row.status !== "void").map((row) => ({
          ...viewOf(row, { now: null, reveal: false, withhold: high(row), hidden, previewCharacters: null }),
          change: row.change,
          write_id: row.write_id,
          cause: causeOf(row, high(row) || row.sensitivity === "high", hidden)
        })),
        next_before_version: rows.length > limit ? page[page.length - 1]?.version.toString() ?? null : null,
        degraded: []
      }
    })

  return [bind(MemoryGet, get), bind(MemoryGetById, getById), bind(MemoryList, list), bind(MemoryHistory, history)]
})

const placeOf = (row: MemoryRow, sort_by: SortBy) => ({
  value: sort_by === "memory_key" ? row.memory_key : String(row[sort_by]),
  memory_id: row.memory_id,
  version: row.version
})

/** The instant as it was asked for, so that a cursor stays with it. */
const placeInTime = ({ as_of, as_of_basis, as_of_known, as_of_valid }: Payload<typeof MemoryList>): object => ({
  as_of,
  as_of_basis,
  as_of_known,
  as_of_valid
})

const INCLUDES = ["include_duplicates", "include_superseded", "include_proposed", "include_tombstoned"] as const

const filterOf = (
  request: Payload<typeof MemoryList>,
  writer: WriterFilter,
  asOf: Instant | undefined,
  now: number
): ListFilter => {
  const statuses: Array<Status> = [...servedIn(request.run_id)]
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
    statuses: request.conflicted_only === true ? ["conflicted"] : asOf?.axis === "valid" ? TRUE_STATUSES : statuses,
    endedBefore: asOf?.axis === "valid" || request.include_expired === true ? null : asOf?.at ?? now,
    ...(asOf !== undefined || request.conflicted_only === true ? {} : { expired: request.include_expired === true }),
    asOf,
    earlierAt: asOf === undefined && request.include_superseded === true ? now : undefined
  }
}
