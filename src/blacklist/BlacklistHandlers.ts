/**
 * The handlers of the blacklist verbs. A pattern is stored before anything is swept, and swept for again once every
 * process has said that it runs it: what a process let pass in between is found by the second pass. Additions pass one
 * at a time, so that limits hold and the same pattern is not stored twice. A key keeps the first answer, also of an addition
 * that found its pattern there already, and whatever became of the pattern since.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Caller } from "../kernel/Caller.ts"
import { resolveScope } from "../kernel/Caller.ts"
import { mintPatternId } from "../kernel/Ids.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { Corrupt, refuse } from "../kernel/LoomError.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { BlacklistCache } from "./BlacklistCache.ts"
import {
  instructionsOf,
  matcherOf,
  MAX_PLACE_INSTRUCTIONS,
  MAX_PLACE_PATTERNS,
  patternFault
} from "./BlacklistMatcher.ts"
import type { BlacklistPattern, PatternScope } from "./BlacklistModel.ts"
import { placeOf } from "./BlacklistModel.ts"
import { manageFault, opensAll, reads, sees } from "./BlacklistPolicy.ts"
import type { Target } from "./BlacklistPolicy.ts"
import type { PatternPlace } from "./BlacklistStore.ts"
import { BlacklistStore } from "./BlacklistStore.ts"
import type { SweepOutcome } from "./BlacklistSweep.ts"
import { BlacklistSweep } from "./BlacklistSweep.ts"
import { BlacklistAdd, BlacklistList, BlacklistRemove } from "./BlacklistVerbs.ts"

type AddRequest = Payload<typeof BlacklistAdd>

const time = (millis: number): string => new Date(millis).toISOString()
const named = (text: string): string | null => text === "" ? null : text

const where = ({ namespace, org, pattern_id, scope }: BlacklistPattern) => ({
  pattern_id,
  scope,
  org: named(org),
  namespace: named(namespace)
})

const view = (caller: Caller) => (one: BlacklistPattern) => {
  const open = reads(caller, one)
  return {
    ...where(one),
    pattern: open ? one.pattern : null,
    pattern_type: one.pattern_type,
    reason: one.reason,
    created_at: time(one.created_at),
    created_by: open ? one.created_by : null
  }
}

const CursorPlace = Schema.Struct({ created_at: Schema.Int, pattern_id: Schema.String })

const placeIn = ({ created_at, pattern_id }: PatternPlace) => ({ created_at, pattern_id })

/** Where a request wants its pattern to hold. */
const targetOf = (caller: Caller, request: AddRequest): Effect.Effect<Target, Refusal> => {
  const scope: PatternScope = request.scope ?? "namespace"
  if (scope !== "namespace" && request.namespace !== undefined) {
    return Effect.fail(
      refuse("INVALID_ARGUMENT", `\`namespace\` says nothing for a pattern of scope ${scope}`, { field: "namespace" })
    )
  }
  if (scope === "global" && request.org !== undefined) {
    return Effect.fail(refuse("INVALID_ARGUMENT", "`org` says nothing for a global pattern", { field: "org" }))
  }
  if (scope === "org" && caller.platform === true && request.org === undefined) {
    return Effect.fail(refuse("INVALID_ARGUMENT", "`org` is needed: the root token belongs to none", { field: "org" }))
  }
  const place = scope === "namespace"
    ? resolveScope(caller, request)
    : Effect.succeed({ org: request.org ?? caller.org, namespace: "" })
  return Effect.map(place, (resolved) => ({ scope, ...placeOf(scope, resolved) }))
}

/** Of which org and namespaces the caller is shown patterns; the page then holds nothing that he may not see. */
const reachOf = (caller: Caller, org: string | undefined, namespace: string | null) =>
  caller.platform === true
    // The root token opens no namespace; it looks after what holds for an org and for all of them.
    ? { org: org ?? null, namespaces: [] }
    : org !== undefined && org !== caller.org
    ? { org: null, namespaces: [] }
    : { org: caller.org, namespaces: namespace !== null ? [namespace] : opensAll(caller) ? null : caller.namespaces }

/** What a sweep of a place adds up to after both passes. */
const total = (first: SweepOutcome, second: SweepOutcome) => ({
  swept: first.swept + second.swept,
  // The second pass looks at all that the first left; only where it broke off does the first one's word count too.
  swept_truncated: second.error === undefined ? second.truncated : first.truncated || second.truncated,
  // The second pass makes good what the first could not.
  sweep_error: second.error ?? ""
})

const AnswerText = Schema.parseJson(BlacklistAdd.answer)

const DEFAULT_LIMIT = 100
// As long as the memory verbs keep a first answer (ADR 0006).
const ANSWER_TTL_MILLIS = 24 * 60 * 60 * 1000

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  BlacklistStore | BlacklistCache | BlacklistSweep | Cursors
> = Effect.gen(function*() {
  const store = yield* BlacklistStore
  const cache = yield* BlacklistCache
  const sweeper = yield* BlacklistSweep
  const cursors = yield* Cursors
  const oneAtATime = yield* Effect.makeSemaphore(1)

  /** The pattern as it is in force after this: the one that was there already, or the new one. */
  const ensure = (target: Target, request: AddRequest, wanted: Omit<BlacklistPattern, "pattern_id" | "version">) =>
    Effect.gen(function*() {
      const there = yield* store.inForce([target])
      const same = there.find((one) => one.pattern === wanted.pattern && one.pattern_type === wanted.pattern_type)
      if (same !== undefined) {
        return { pattern: same, noop: true, blacklist_version: yield* store.version }
      }
      if (there.length >= MAX_PLACE_PATTERNS) {
        return yield* refuse("INVALID_ARGUMENT", `${MAX_PLACE_PATTERNS} patterns of this scope are in force: end one`, {
          field: "pattern",
          limit: MAX_PLACE_PATTERNS
        })
      }
      if (instructionsOf(wanted) > 0) {
        const size = [...there, wanted].reduce((sum, one) => sum + instructionsOf(one), 0)
        if (size > MAX_PLACE_INSTRUCTIONS) {
          return yield* refuse(
            "INVALID_ARGUMENT",
            `The regexes of this scope would have ${size} instructions, at most ${MAX_PLACE_INSTRUCTIONS}: end one`,
            { field: "pattern", limit: MAX_PLACE_INSTRUCTIONS }
          )
        }
      }
      const pattern: BlacklistPattern = {
        ...wanted,
        pattern_id: yield* mintPatternId,
        version: BigInt(wanted.created_at) * 1_000_000n
      }
      const blacklist_version = yield* store.put(pattern)
      yield* cache.advance(blacklist_version)
      return { pattern, noop: false, blacklist_version }
    }).pipe(oneAtATime.withPermits(1))

  const sweep = (caller: Caller, pattern: BlacklistPattern) => {
    const matcher = matcherOf([pattern])
    return sweeper.sweep({ org: named(pattern.org), namespace: named(pattern.namespace) }, {
      pattern_id: pattern.pattern_id,
      pattern: pattern.pattern,
      pattern_type: pattern.pattern_type,
      reason: pattern.reason,
      actor: caller.actor,
      matches: (text) => matcher.match(text) !== undefined
    })
  }

  /**
   * Keeps an answer under the key of its request: on the pattern that the request added, or, when it found another's, on one
   * of its own that ended when it began and so matches nothing.
   */
  const keep = (pattern: BlacklistPattern, wanted: Omit<BlacklistPattern, "pattern_id" | "version">, answer: string) =>
    Effect.gen(function*() {
      if (pattern.idem_hash === wanted.idem_hash) {
        return yield* store.annotate({ ...pattern, answer, version: pattern.version + 1n })
      }
      yield* store.annotate({
        ...wanted,
        pattern_id: yield* mintPatternId,
        removed_at: wanted.created_at,
        removed_by: wanted.created_by,
        answer,
        version: BigInt(wanted.created_at) * 1_000_000n
      })
    })

  const nothingSwept: SweepOutcome = { swept: 0, truncated: false }

  const add = bind(BlacklistAdd, (request, caller) =>
    Effect.gen(function*() {
      const target = yield* targetOf(caller, request)
      const fault = manageFault(caller, target)
      if (fault !== undefined) return yield* fault
      const pattern_type = request.pattern_type ?? "substring"
      const wrong = patternFault(pattern_type, request.pattern)
      if (wrong !== undefined) return yield* refuse("INVALID_ARGUMENT", `\`pattern\` ${wrong}`, { field: "pattern" })

      const reason = request.reason ?? ""
      const request_hash = sha256(
        canonical([{ ...target }, pattern_type, request.pattern, reason, request.sweep ?? false])
      )
      const key = request.idempotency_key
      const idem_hash = key === undefined ? "" : sha256(canonical([caller.actor, caller.org, key]))
      const now = yield* Clock.currentTimeMillis
      const earlier = key === undefined
        ? undefined
        : Option.getOrUndefined(yield* store.findByKey(idem_hash, now - ANSWER_TTL_MILLIS))
      if (earlier !== undefined && earlier.request_hash !== request_hash) {
        return yield* refuse("IDEMPOTENCY_CONFLICT", "The `idempotency_key` was used with another request")
      }
      if (earlier !== undefined && earlier.answer !== "") {
        return yield* Effect.mapError(
          Schema.decode(AnswerText)(earlier.answer),
          () => new Corrupt({ operation: "blacklist.add answer" })
        )
      }

      const wanted = {
        ...target,
        pattern: request.pattern,
        pattern_type,
        reason,
        created_at: now,
        created_by: caller.actor,
        removed_at: null,
        removed_by: "",
        idem_hash,
        request_hash,
        answer: ""
      }
      // One that somebody ended before its answer was kept is not put back in force.
      const ended = earlier !== undefined && earlier.removed_at !== null
      const { blacklist_version, noop, pattern } = ended
        ? { blacklist_version: yield* store.version, noop: true, pattern: earlier }
        : yield* ensure(target, request, wanted)
      const sweeps = !ended && (request.sweep ?? false)
      const first = sweeps ? yield* sweep(caller, pattern) : nothingSwept
      const confirmed = yield* cache.confirmed(blacklist_version)
      const second = sweeps ? yield* sweep(caller, pattern) : nothingSwept
      const answer: Answer<typeof BlacklistAdd> = {
        ...where(pattern),
        // Finishing what the same request began is not finding what another one did.
        noop: noop && earlier === undefined,
        blacklist_version,
        confirmed,
        ...total(first, second)
      }
      if (key !== undefined) yield* keep(pattern, wanted, yield* Effect.orDie(Schema.encode(AnswerText)(answer)))
      return answer
    }))

  const list = bind(BlacklistList, (request, caller) =>
    Effect.gen(function*() {
      if (request.namespace !== undefined) yield* resolveScope(caller, request)
      const reach = reachOf(caller, request.org, request.namespace ?? caller.defaultNamespace)
      const listing = { verb: BlacklistList.tag, caller, filter: { ...reach, scope: request.scope ?? "" } }
      const after = request.cursor === undefined ? null : yield* cursors.take(listing, CursorPlace, request.cursor)
      const limit = request.limit ?? DEFAULT_LIMIT
      const page = yield* store.list({
        ...reach,
        scopes: request.scope === undefined ? ["namespace", "org", "global"] : [request.scope],
        after,
        limit
      })
      const last = page.at(-1)
      return {
        patterns: page.filter((one) => sees(caller, one)).map(view(caller)),
        next_cursor: last === undefined || page.length < limit ? null : yield* cursors.give(listing, placeIn(last))
      }
    }))

  const remove = bind(BlacklistRemove, (request, caller) =>
    Effect.gen(function*() {
      const pattern = Option.getOrUndefined(yield* store.find(request.pattern_id))
      if (pattern === undefined || !sees(caller, pattern)) {
        return { found: false, removed: false, pattern_id: request.pattern_id, removed_at: null }
      }
      const fault = manageFault(caller, pattern)
      if (fault !== undefined) return yield* fault
      const removed_at = pattern.removed_at ?? (yield* Clock.currentTimeMillis)
      if (pattern.removed_at === null) {
        const version = yield* store.put({
          ...pattern,
          removed_at,
          removed_by: caller.actor,
          version: pattern.version + 2n
        })
        yield* cache.advance(version)
        yield* cache.confirmed(version)
      }
      return { found: true, removed: true, pattern_id: pattern.pattern_id, removed_at: time(removed_at) }
    }).pipe(oneAtATime.withPermits(1)))

  return [add, list, remove]
})
