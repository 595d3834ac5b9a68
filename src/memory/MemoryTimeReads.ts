/**
 * The handler of `memory.timeline`. What the caller may not read looks exactly like what does not exist; of a row that
 * replaced a readable one, a bound token learns the date alone.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { identityKey } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { lastVersionAt } from "./InstantModel.ts"
import { hiddenIn } from "./LinkedRows.ts"
import type { Hidden } from "./LinkedRows.ts"
import { cursorAfter, keysetOf } from "./MemoryCursor.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { replay } from "./MemoryReplay.ts"
import { MemoryTimeline } from "./MemoryTimeVerbs.ts"
import type { Belief } from "./MemoryTimeVerbs.ts"
import { viewOf } from "./MemoryViews.ts"
import { intervalsOf } from "./Timeline.ts"
import type { Interval } from "./Timeline.ts"

const DEFAULT_PAGE = 100

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryReader | Cursors> = Effect.gen(function*() {
  const reader = yield* MemoryReader
  const cursors = yield* Cursors

  const timeline = (request: Payload<typeof MemoryTimeline>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      if (request.memory_key === undefined && request.memory_id === undefined) {
        return yield* refuse("INVALID_ARGUMENT", "`memory_key` or `memory_id` is needed", { field: "memory_key" })
      }
      const { none, user } = readableUser(caller, request.user_id)
      const writer = { agent: request.agent ?? null, user_id: user, session_id: request.session_id ?? null }
      const known = knownOf(request, yield* Clock.currentTimeMillis)
      const { agent, as_of_known, include_withdrawn, memory_id, memory_key, session_id } = request
      const filter = { ...scope, agent, user, session_id, memory_id, memory_key, as_of_known, include_withdrawn }
      const listing = { verb: MemoryTimeline.tag, caller, filter }
      const after = yield* keysetOf(cursors, listing, request.cursor)
      const heads = none
        ? []
        : request.memory_id !== undefined
        ? yield* reader.byId(scope, request.memory_id, writer)
        : yield* reader.byKey(scope, request.memory_key ?? "", writer)
      const all = heads.length === 0 ? [] : intervalsOf(yield* replay(reader, scope, heads, known.version))
      const shown = all.filter(({ claim }) => include_withdrawn === true || !claim.withdrawn)
      const rest = after === null ?
        shown :
        shown.filter(({ claim, from }) =>
          from > Number(after.value) || (from === Number(after.value) && claim.first.version > BigInt(after.memory_id))
        )
      const page = rest.slice(0, request.limit ?? DEFAULT_PAGE)
      const last = page[page.length - 1]
      const rows = last === undefined
        ? []
        : yield* reader.versions(scope, heads, page.map(({ claim }) => claim.last.version))
      const hidden = yield* hiddenIn(reader, scope, caller.boundUser, rows, false)
      const high = new Set(heads.filter(({ sensitivity }) => sensitivity === "high").map(identityKey))
      return {
        beliefs: page.flatMap((interval) =>
          rows.filter(({ version }) => version === interval.claim.last.version)
            .map((row) => beliefOf(row, interval, { withhold: high.has(identityKey(row)), hidden }, caller.boundUser))
        ),
        next_cursor: rest.length > page.length && last !== undefined
          ? yield* cursorAfter(cursors, listing, {
            value: String(last.from),
            memory_id: last.claim.first.version.toString()
          })
          : null,
        advisories: known.advisories,
        degraded: []
      }
    })

  return [bind(MemoryTimeline, timeline)]
})

const knownOf = (
  { as_of_known }: Payload<typeof MemoryTimeline>,
  now: number
): { readonly version: bigint | null; readonly advisories: ReadonlyArray<string> } => {
  const parsed = as_of_known === undefined ? undefined : parseTime(as_of_known)
  if (parsed === undefined || typeof parsed === "string") return { version: null, advisories: [] }
  return {
    version: parsed.millis >= now ? null : lastVersionAt(parsed.millis),
    advisories: parsed.naive ? ["as_of_known named no offset and was read as UTC"] : []
  }
}

const iso = (millis: number): string => new Date(millis).toISOString()

const beliefOf = (
  row: MemoryRow,
  interval: Interval,
  options: { readonly withhold: boolean; readonly hidden: Hidden },
  bound: string | null
): Belief => {
  const { basis, claim, derived, from, next, retiredAt, status, until } = interval
  const view = viewOf(row, { now: null, reveal: false, ...options, previewCharacters: null })
  return {
    memory_id: row.memory_id,
    memory_key: row.memory_key,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    value: view.value,
    ...(view.value_withheld === true ? { value_withheld: true } : {}),
    content_sha256: row.content_sha256,
    valid_from: iso(from),
    from_basis: basis,
    valid_until: until === null ? null : iso(until),
    until_derived: derived,
    learned_at: iso(claim.first.updated_at),
    retired_at: retiredAt === null ? null : iso(retiredAt),
    status,
    withdrawn: claim.withdrawn,
    superseded_by: next === null || (bound !== null && next.first.user_id !== bound) ? null : next.first.memory_id,
    version_text: row.version.toString(),
    actor: view.actor,
    source_class: row.source_class
  }
}
