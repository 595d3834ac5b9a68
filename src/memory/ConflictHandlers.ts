/**
 * The handlers of the review queue. A resolution is one atomic command to the actor, with the version of every row it
 * went by: either all of it happens to the rows that were looked at, or nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { behind, pairsOf, placeOf } from "./ConflictPairs.ts"
import type { ConflictPair } from "./ConflictPairs.ts"
import { ConflictsList, ConflictsResolve } from "./ConflictVerbs.ts"
import type { ConflictSide, ResolvedAction } from "./ConflictVerbs.ts"
import { isAnswered } from "./FirstAnswer.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { Transition, TransitionItem, TransitionResult } from "./MemoryCommand.ts"
import { cursorAfter, keysetOf } from "./MemoryCursor.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { isServed } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { assumedOf, idTarget, metaOf, refusedItem } from "./MemoryRequest.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { viewOf } from "./MemoryViews.ts"
import { preconditionFault } from "./WritePolicy.ts"

const DEFAULT_PAGE = 50

type Resolve = Payload<typeof ConflictsResolve>

type Needs = MemoryClient | MemoryIntake | MemoryReview | Cursors

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect
  .gen(function*() {
    const client = yield* MemoryClient
    const intake = yield* MemoryIntake
    const review = yield* MemoryReview
    const cursors = yield* Cursors

    const list = (request: Payload<typeof ConflictsList>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const { none, user } = readableUser(caller, request.user_id)
        if (none) return { conflicts: [], total: 0, next_cursor: null, degraded: [] }
        const now = yield* Clock.currentTimeMillis
        const { cursor, limit = DEFAULT_PAGE, ...asked } = request
        const listing = { verb: ConflictsList.tag, caller, filter: { ...asked, ...scope, user } }
        const after = yield* keysetOf(cursors, listing, cursor)
        const pairs = pairsOf(yield* review.conflictLinks(scope, user, now), {
          memory_key: request.memory_key ?? null,
          memory_type: request.memory_type ?? null,
          until: request.older_than_seconds === undefined ? null : now - request.older_than_seconds * 1000
        })
        const rest = behind(pairs, after)
        const page = rest.slice(0, limit)
        const ids = [...new Set(page.flatMap(({ sides }) => sides.map(({ memory_id }) => memory_id)))]
        const rows = new Map((yield* review.named(scope, user, { ids, keys: [] })).map((row) => [row.memory_id, row]))
        const last = page[page.length - 1]
        return {
          conflicts: page.flatMap((pair) => shown(pair, rows, now)),
          total: pairs.length,
          next_cursor: rest.length > limit && last !== undefined
            ? yield* cursorAfter(cursors, listing, placeOf(last))
            : null,
          degraded: []
        }
      })

    /** What has to happen, the looked-at versions with it; rows that only have to be as they were come first. */
    const stepsOf = (request: Resolve, kept: MemoryRow, others: ReadonlyArray<MemoryRow>) =>
      Effect.gen(function*() {
        const reason = request.reason ?? ""
        const item = (row: MemoryRow, transition: Transition): TransitionItem => ({
          target: idTarget(row),
          expected_version: request.versions?.[row.memory_id] ?? row.version.toString(),
          content: null,
          transition
        })
        const unchanged = (row: MemoryRow) => item(row, { _tag: "allow", others: [], reason })
        const rule = `conflicts.resolve.${request.action}`
        const tombstoned = (row: MemoryRow) => item(row, { _tag: "tombstone", change: "delete", rule, reason })
        if (request.action === "contract") return [...others.map(unchanged), tombstoned(kept)]
        if (request.action === "allow") {
          const ids = others.map(({ memory_id }) => memory_id)
          return [
            ...others.map(unchanged),
            item(kept, { _tag: "allow", others: ids, reason })
          ]
        }
        // The others first: a new value is then judged against what still stands.
        if (request.value === undefined) return [unchanged(kept), ...others.map(tombstoned)]
        const content = yield* intake.prepare({
          memory_key: kept.memory_key,
          value: request.value,
          memory_type: kept.memory_type,
          sensitivity: kept.sensitivity === "none" ? undefined : kept.sensitivity
        })
        const correct = item(kept, { _tag: "correct", assumed: assumedOf(kept, false), statement: {} })
        return [...others.map(tombstoned), { ...correct, content }]
      })

    const resolve = (request: Resolve, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        if (request.value !== undefined && request.action !== "revise") {
          return yield* refuse("INVALID_ARGUMENT", "`value` goes with the action revise", { field: "value" })
        }
        const meta = yield* metaOf(ConflictsResolve.tag, request, caller, "asserted")
        const now = yield* Clock.currentTimeMillis
        const missed = (reason: string, found: boolean) => ({
          found,
          resolved: false,
          reason,
          dry_run: meta.dry_run,
          results: [],
          degraded: []
        })
        const asked = yield* review.named(scope, caller.boundUser, {
          ids: [request.memory_id, ...(request.with_ids ?? [])],
          keys: []
        })
        // One that ran out can be taken back or let be, and not be what holds.
        const isMeant = (row: MemoryRow) =>
          isServed(row, now) || (request.action !== "revise" && row.status === "conflicted")
        const kept = asked.find((row) => row.memory_id === request.memory_id && isMeant(row))
        const wanted = request.with_ids ?? kept?.conflict_with ?? []
        const named = request.with_ids !== undefined || kept === undefined
          ? asked
          : yield* review.named(scope, caller.boundUser, { ids: wanted, keys: [] })
        const others = named.filter(({ memory_id }) =>
          kept?.conflict_with.includes(memory_id) === true && wanted.includes(memory_id)
        )
        // A row that is not there, is not the caller's or does not contradict the other is one and the same to it.
        const isMet = kept !== undefined && others.length > 0 &&
          others.length >= new Set(request.with_ids ?? []).size
        if (!isMet && meta.idem_hash === "") {
          return missed(kept === undefined ? "not_found" : "no_conflict", kept !== undefined)
        }
        const precondition = isMet ? preconditionFault(kept, request.if_match_sha256 ?? null) : undefined
        if (precondition !== undefined && !(yield* isAnswered(client, scope, meta))) {
          return yield* precondition
        }
        const { results } = yield* client.transition(scope, {
          _tag: "memory.transition",
          meta,
          atomic: true,
          // With nothing left to do a retry still gets its first answer.
          items: isMet ? yield* stepsOf(request, kept, others) : []
        })
        const refused = firstRefusal(results)
        if (refused !== undefined) return yield* refused
        if (results.length === 0) return missed(kept === undefined ? "not_found" : "no_conflict", kept !== undefined)
        return {
          found: true,
          resolved: !meta.dry_run,
          reason: null,
          dry_run: meta.dry_run,
          results: results.map((result) => ({
            memory_id: result.memory_id,
            memory_key: result.memory_key,
            action: actionOn(request, result.memory_id),
            outcome: result.outcome,
            status_before: result.status_before,
            answer: result.answer
          })),
          degraded: meta.degraded
        }
      })

    return [bind(ConflictsList, list), bind(ConflictsResolve, resolve)]
  })

const firstRefusal = (results: ReadonlyArray<TransitionResult>): Refusal | undefined => {
  for (const result of results) {
    const refusal = refusedItem(result)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** What the request means for one of its rows. */
const actionOn = ({ action, memory_id, value }: Resolve, id: string | null): ResolvedAction => {
  const isNamed = id === memory_id
  switch (action) {
    case "revise":
      return !isNamed ? "tombstoned" : value === undefined ? "kept" : "corrected"
    case "allow":
      return isNamed ? "allowed" : "kept"
    case "contract":
      return isNamed ? "tombstoned" : "kept"
  }
}

/** A pair with both rows as they are now; one that was resolved since it was found is left out. */
const shown = (
  { at, cause, sides, since, write_id }: ConflictPair,
  rows: ReadonlyMap<string, MemoryRow>,
  now: number
) => {
  const [first, second] = sides.map(({ memory_id }) => rows.get(memory_id))
  return first === undefined || second === undefined ? [] : [{
    sides: [sideOf(first, now), sideOf(second, now)],
    since: new Date(at).toISOString(),
    since_version: since.toString(),
    age_seconds: Math.max(0, Math.floor((now - at) / 1000)),
    rule: cause?.rule ?? null,
    // What the rule went by quotes the values.
    reason: first.sensitivity === "high" || second.sensitivity === "high" ? null : cause?.evidence ?? null,
    write_id
  }]
}

const sideOf = (row: MemoryRow, now: number): ConflictSide =>
  viewOf(row, { now, reveal: false, previewCharacters: null })
