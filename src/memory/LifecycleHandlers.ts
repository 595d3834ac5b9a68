/**
 * The handlers of pin, lock, touch, reject and verify. Each names its rows within the caller's bounds and hands the
 * namespace actor one command; the actor finds the rows again and decides.
 */
import * as Effect from "effect/Effect"
import { resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { isoOf, itemFor, lockOf, outcomeOf, refusalOf, touchOf } from "./LifecycleRequest.ts"
import { MemoryLock, MemoryPin, MemoryReject, MemoryTouch, MemoryVerify } from "./LifecycleVerbs.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { Target, Transition, TransitionResult, WriteMeta } from "./MemoryCommand.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import * as MemoryPreparing from "./MemoryPreparing.ts"
import type { MemoryReader } from "./MemoryReader.ts"
import { metaOf, targetOf } from "./MemoryRequest.ts"

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  MemoryClient | MemoryIntake | MemoryReader
> = Effect.gen(function*() {
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const { itemOf } = yield* MemoryPreparing.make

  /** One change to one row; undefined when there is no such row, an error when it is refused. */
  const change = (
    scope: Scope,
    meta: WriteMeta,
    target: Target,
    transition: Transition
  ): Effect.Effect<TransitionResult | undefined, LoomError> =>
    Effect.gen(function*() {
      const items = [itemFor(target, transition)]
      const { results: [result] } = yield* client.transition(scope, { _tag: "memory.transition", meta, items })
      if (result === undefined || result.outcome === "not_found") return undefined
      const refusal = refusalOf(result)
      return refusal === undefined ? result : yield* refusal
    })

  const pinValue = (request: Payload<typeof MemoryPin>, caller: Caller, scope: Scope, meta: WriteMeta) =>
    Effect.gen(function*() {
      const { memory_id, memory_key, pinned, value, ...stated } = request
      if (memory_id !== undefined || memory_key === undefined) {
        return yield* refuse("INVALID_ARGUMENT", "A value is stored under a `memory_key`", { field: "memory_key" })
      }
      if (pinned === false || value === undefined) {
        return yield* refuse("INVALID_ARGUMENT", "memory.pin stores a value pinned; use memory.set", {
          field: "pinned"
        })
      }
      const user = yield* resolveUser(caller, request.user_id)
      const item = yield* itemOf({ ...stated, memory_key, value, pinned: true }, { run_id: "" }, user, false)
      const stored = yield* client.set(scope, { _tag: "memory.set", meta, item })
      return { found: true, ...stored }
    })

  const pin = (request: Payload<typeof MemoryPin>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryPin.tag, request, caller, "asserted")
      if (request.value !== undefined) return yield* pinValue(request, caller, scope, meta)
      const stray = Object.keys(request).find((field) => !rowForm.includes(field))
      if (stray !== undefined) {
        return yield* refuse("INVALID_ARGUMENT", `\`${stray}\` is said of a value, and there is none`, { field: stray })
      }
      const pinned = request.pinned ?? true
      const target = yield* targetOf(caller, request)
      const result = yield* change(scope, meta, target, { _tag: "pin", pinned })
      return result === undefined
        ? { found: false, pinned: false, degraded: [] }
        : { ...result.answer, found: true, pinned }
    })

  const lock = (request: Payload<typeof MemoryLock>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { advisories, transition } = yield* lockOf(request, caller)
      const meta = { ...(yield* metaOf(MemoryLock.tag, request, caller, "asserted")), advisories }
      const target = yield* targetOf(caller, request)
      const result = yield* change(scope, meta, target, transition)
      if (result === undefined) return { found: false, locked: false, lock_mode: null, lock_until: null, degraded: [] }
      return {
        ...result.answer,
        found: true,
        locked: transition.mode !== "",
        lock_mode: transition.mode === "" ? null : transition.mode,
        lock_until: transition.until === null ? null : isoOf(transition.until)
      }
    })

  const touch = (request: Payload<typeof MemoryTouch>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const transition = yield* touchOf(request)
      yield* intake.labels({ expire_reason: request.expire_reason }, undefined)
      const meta = yield* metaOf(MemoryTouch.tag, request, caller, "asserted")
      const named = yield* namedRows(request)
      const targets = yield* Effect.forEach(named, (name) => targetOf(caller, { ...writerOf(request), ...name }))
      const items = targets.map((target) => itemFor(target, transition))
      const answer = yield* client.transition(scope, { _tag: "memory.transition", meta, items })
      const [first] = answer.results
      const isOne = request.memory_keys === undefined && request.memory_ids === undefined
      const refusal = isOne && first !== undefined ? refusalOf(first) : undefined
      if (refusal !== undefined) return yield* refusal
      const results = answer.results.map((result, index) => ({
        ...outcomeOf(result),
        index,
        // What was asked for, where there is no row to name.
        memory_key: result.memory_key ?? named[index]?.memory_key ?? null,
        memory_id: result.memory_id ?? named[index]?.memory_id ?? null
      }))
      const count = (outcome: TransitionResult["outcome"]) =>
        results.filter((result) => result.outcome === outcome).length
      const not_found = count("not_found")
      const refused = count("refused")
      const { expires_at } = transition
      return {
        found: not_found < results.length,
        changed: count("changed"),
        unchanged: count("unchanged"),
        not_found,
        refused,
        ok: not_found + refused === 0,
        results,
        ...(expires_at === undefined ? {} : { expires_at: expires_at === null ? null : isoOf(expires_at) }),
        dry_run: meta.dry_run,
        degraded: []
      }
    })

  const reject = (request: Payload<typeof MemoryReject>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryReject.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      const result = yield* change(scope, meta, target, { _tag: "reject", reason: request.reason ?? "" })
      return result === undefined
        ? { found: false, rejected: false, degraded: [] }
        : {
          ...result.answer,
          found: true,
          rejected: !meta.dry_run,
          dependents_tombstoned: result.dependents?.tombstoned.length ?? 0,
          dependents_downgraded: result.dependents?.downgraded.length ?? 0
        }
    })

  const verify = (request: Payload<typeof MemoryVerify>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryVerify.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      const kind = caller.actor.startsWith("human:") ? "human" : "process"
      const result = yield* change(scope, meta, target, {
        _tag: "verify",
        kind,
        by: caller.actor,
        content_sha256: request.content_sha256 ?? null
      })
      return result === undefined
        ? { found: false, verified: false, verification: "none" as const, verified_by: null, degraded: [] }
        : {
          ...result.answer,
          found: true,
          verified: !meta.dry_run,
          verification: kind,
          verified_by: caller.actor
        } as const
    })

  return [
    bind(MemoryPin, pin),
    bind(MemoryLock, lock),
    bind(MemoryTouch, touch),
    bind(MemoryReject, reject),
    bind(MemoryVerify, verify)
  ]
})

// What memory.pin takes without a value.
const rowForm: ReadonlyArray<string> = [
  "org",
  "namespace",
  "agent",
  "user_id",
  "session_id",
  "memory_key",
  "memory_id",
  "pinned",
  "run_id",
  "idempotency_key",
  "dry_run"
]

interface RowName {
  readonly memory_key?: string | undefined
  readonly memory_id?: string | undefined
}

const writerOf = ({ agent, session_id, user_id }: Payload<typeof MemoryTouch>) => ({ agent, session_id, user_id })

/** The rows a touch names, in its order: one by key or id (or both), or several of a kind. */
const namedRows = (request: Payload<typeof MemoryTouch>) => {
  const { memory_id, memory_ids, memory_key, memory_keys } = request
  const isOne = memory_key !== undefined || memory_id !== undefined
  const ways = [isOne, memory_keys !== undefined, memory_ids !== undefined].filter((given) => given).length
  if (ways > 1) {
    return Effect.fail(
      refuse("INVALID_ARGUMENT", "Name one row, or `memory_keys`, or `memory_ids`", { field: "memory_keys" })
    )
  }
  const rows: ReadonlyArray<RowName> = memory_keys?.map((key) => ({ memory_key: key })) ??
    memory_ids?.map((id) => ({ memory_id: id })) ?? [{ memory_key, memory_id }]
  return Effect.succeed(rows)
}
