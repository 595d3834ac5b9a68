/**
 * The handler of memory.outcome: what came of a decision is a tag of the decision, set and cleared through the actor with
 * the version that was read; then the report is kept as a vote on the memory. The tag comes first: a report that broke off
 * in between is told to its caller as failed, and made again both are as they should be.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { MemoryIntake } from "../memory/MemoryIntake.ts"
import { lookupOne } from "../memory/MemoryLookup.ts"
import { isLive } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { MemoryReader } from "../memory/MemoryReader.ts"
import { idTarget, metaOf, refusedItem } from "../memory/MemoryRequest.ts"
import { MemoryOutcome } from "./OutcomeVerbs.ts"
import { textsOf } from "./RunTexts.ts"
import { votesOf } from "./UseModel.ts"
import { UseStore } from "./UseStore.ts"

/** The mark of a decision that failed; `memory.for_file` prints it. */
export const FAILED_TAG = "outcome:failed"

// Each round loses only to a write that succeeded in between.
const STALE_ROUNDS = 5

/** By its type, or by a tag as `memory.for_file` reads it. */
const isDecision = ({ memory_type, tags }: MemoryRow): boolean =>
  memory_type === "decision" || tags.includes("decision") || tags.includes("kind:decision")

type Needs = UseStore | MemoryReader | MemoryClient | MemoryIntake

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const uses = yield* UseStore
  const reader = yield* MemoryReader
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake

  /** The one row in service that the request means. */
  const meant = (scope: Scope, request: Payload<typeof MemoryOutcome>, caller: Caller) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => lookupOne(reader, scope, caller, request, (row) => isLive(row, now))
    )

  /** Sets or clears the mark of a decision; answers whether it stands. */
  const mark = (
    scope: Scope,
    row: MemoryRow,
    outcome: Payload<typeof MemoryOutcome>["outcome"],
    caller: Caller
  ): Effect.Effect<boolean, LoomError> =>
    Effect.gen(function*() {
      const stands = row.tags.includes(FAILED_TAG)
      const failed = outcome === "unknown" ? stands : outcome === "failure"
      if (!isDecision(row) || failed === stands) return stands
      const meta = yield* metaOf(MemoryOutcome.tag, {}, caller, "asserted")
      const { results: [result] } = yield* client.transition(scope, {
        _tag: "memory.transition",
        meta,
        items: [{
          target: idTarget(row),
          expected_version: row.version.toString(),
          content: null,
          transition: {
            _tag: "label",
            add_tags: failed ? [FAILED_TAG] : [],
            remove_tags: failed ? [] : [FAILED_TAG]
          }
        }]
      })
      const refusal = result === undefined ? undefined : refusedItem(result)
      return refusal === undefined ? failed : yield* refusal
    })

  /** When this was first reported: under its key a report is of that time, so a retry after midnight is no further vote. */
  const firstSaid = (scope: Scope, request: Payload<typeof MemoryOutcome>, caller: Caller) =>
    Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const meta = yield* metaOf(MemoryOutcome.tag, request, caller, "asserted")
      if (meta.idem_hash === "") return at
      const { first } = yield* client.answer(scope, { _tag: "memory.answer", meta, answer: String(at) })
      return first === null ? at : Number(first)
    })

  const outcome = (request: Payload<typeof MemoryOutcome>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      yield* intake.texts(textsOf({ note: request.note }))
      const missed = {
        found: false,
        recorded: false,
        memory_id: null,
        memory_key: null,
        outcome: request.outcome,
        vote: "none",
        decision: false,
        failed: false,
        degraded: []
      } as const
      const { none, user } = readableUser(caller, request.user_id)
      if (none) return missed
      const at = yield* firstSaid(scope, request, caller)
      const done = yield* Effect.gen(function*() {
        const row = yield* meant(scope, { ...request, ...(user === null ? {} : { user_id: user }) }, caller)
        return row === undefined ? undefined : { row, failed: yield* mark(scope, row, request.outcome, caller) }
      }).pipe(Effect.retry({
        schedule: Schedule.recurs(STALE_ROUNDS),
        while: (error) => error._tag === "Refusal" && error.code === "STALE_VERSION"
      }))
      if (done === undefined) return missed
      yield* faultPoint("outcome.after_mark")
      const { failed, row } = done
      const votes = votesOf(request.outcome, 1)
      yield* uses.record([{
        scope,
        memory_id: row.memory_id,
        owner_id: row.user_id,
        caller: caller.actor,
        source: "outcome",
        run_id: request.run_id ?? "",
        user_id: caller.boundUser ?? row.user_id,
        outcome: request.outcome,
        ...votes,
        note: request.note ?? "",
        at,
        recorded_at: yield* Clock.currentTimeMillis
      }])
      return {
        found: true,
        recorded: true,
        memory_id: row.memory_id,
        memory_key: row.memory_key,
        outcome: request.outcome,
        vote: votes.credit > 0 ? "credit" : votes.harm > 0 ? "harm" : "none",
        decision: isDecision(row),
        failed,
        degraded: []
      } as const
    })

  return [bind(MemoryOutcome, outcome)]
})
