/**
 * The handlers of runs. A run is its own row; ending it writes the lesson through the actor, then one row for each memory
 * it relied on, then the end itself. Who ends it first is decided by the namespace's actor, which keeps the first plan of
 * an end: so a retry after a crash at any point does the same again, and another end is refused.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readableUser, resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import { mintRunId } from "../kernel/Ids.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import { Corrupt, refuse } from "../kernel/LoomError.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { MemoryIntake } from "../memory/MemoryIntake.ts"
import { MemoryReader } from "../memory/MemoryReader.ts"
import { metaOf } from "../memory/MemoryRequest.ts"
import { Cursors } from "../platform/Cursors.ts"
import { reflectionKey } from "./RunModel.ts"
import type { Run, RunEnd } from "./RunModel.ts"
import { RunStore } from "./RunStore.ts"
import { textsOf } from "./RunTexts.ts"
import { RunBegin, RunComplete, RunGet, RunList } from "./RunVerbs.ts"
import { begunHash, completedHash, completedOf, notFound, viewOf } from "./RunViews.ts"
import { usedRows } from "./UsedRows.ts"
import { votesOf } from "./UseModel.ts"
import { UseStore } from "./UseStore.ts"

const DEFAULT_PAGE = 50
const REFLECTION = "reflection"

/** What the first request to end a run settled: when, and which memories were meant. */
const Plan = Schema.parseJson(Schema.Struct({
  at: Schema.Number,
  used: Schema.Array(Schema.Struct({ id: Schema.String, owner: Schema.String })),
  unknown: Schema.Array(Schema.String)
}))

const Place = Schema.Struct({ begun_at: Schema.Number, run_id: Schema.String })

type Needs = RunStore | UseStore | MemoryReader | MemoryClient | MemoryIntake | Cursors

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const runs = yield* RunStore
  const uses = yield* UseStore
  const reader = yield* MemoryReader
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const cursors = yield* Cursors

  const begunAs = ({ begun_at, namespace, run_id }: Run) => ({
    run_id,
    namespace,
    status: "running" as const,
    begun_at: new Date(begun_at).toISOString(),
    next: "Pass run_id to memory.set, and end the run with run.complete."
  })

  const begin = (request: Payload<typeof RunBegin>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const user_id = yield* resolveUser(caller, request.user_id)
      const { environment, expected_outcome, goal, idempotency_key: key, metadata, user_request } = request
      const { consumer, model, role } = request
      const stated = { goal, user_request, expected_outcome, environment, model, consumer, role, metadata }
      yield* intake.texts(textsOf(stated))
      const begun_at = yield* Clock.currentTimeMillis
      const begun_sha256 = begunHash(request)
      // The same key names the same run, for as long as the run is kept.
      const run_id = key === undefined
        ? yield* mintRunId
        : `run_${sha256(canonical([scope.org, scope.namespace, caller.actor, caller.boundUser, key])).slice(0, 32)}`
      const before = key === undefined ? undefined : Option.getOrUndefined(yield* runs.find(scope, null, run_id))
      if (before !== undefined && before.begun_sha256 !== begun_sha256) {
        return yield* refuse("IDEMPOTENCY_CONFLICT", "The idempotency key was used with another request")
      }
      if (before !== undefined) return begunAs(before)
      const run: Run = {
        ...scope,
        run_id,
        agent: request.agent ?? "",
        user_id,
        session_id: request.session_id ?? "",
        goal,
        user_request: user_request ?? "",
        expected_outcome: expected_outcome ?? "",
        environment: environment ?? "",
        model: model ?? "",
        consumer: consumer ?? "",
        role: role ?? "",
        metadata: JSON.stringify(metadata ?? {}),
        budget_usd: request.budget_usd ?? null,
        budget_seconds: request.budget_seconds ?? null,
        begun_at,
        begun_by: caller.actor,
        begun_sha256,
        end: null
      }
      yield* runs.put(run)
      return begunAs(run)
    })

  /** Keeps the lesson under the run's own key; answers its memory_id. */
  const reflect = (run: Run, text: string, caller: Caller) =>
    Effect.gen(function*() {
      const memory_key = reflectionKey(run.run_id)
      const content = yield* intake.prepare({
        memory_key,
        value: text,
        memory_type: REFLECTION,
        sensitivity: undefined
      })
      const meta = {
        ...(yield* metaOf(RunComplete.tag, { run_id: run.run_id }, caller, "asserted")),
        idem_hash: sha256(canonical(["run.reflection", run.run_id])),
        payload_hash: content.content_sha256
      }
      const { memory_id } = yield* client.set({ org: run.org, namespace: run.namespace }, {
        _tag: "memory.set",
        meta,
        item: {
          agent: run.agent,
          user_id: run.user_id,
          session_id: run.session_id,
          memory_key,
          run_id: run.run_id,
          content,
          statement: { memory_type: REFLECTION },
          source_class: "asserted",
          if_match_sha256: null,
          proposed: false,
          advisories: []
        }
      })
      return memory_id
    })

  const conflict = ({ run_id }: Pick<Run, "run_id">) =>
    refuse("RUN_CONFLICT", "The run has ended with other content", { run_id })

  /** Another end that came first, as the actor tells it. */
  const orConflict = (run: Run) => <A>(effect: Effect.Effect<A, LoomError>): Effect.Effect<A, LoomError> =>
    Effect.mapError(
      effect,
      (error) => error._tag === "Refusal" && error.code === "IDEMPOTENCY_CONFLICT" ? conflict(run) : error
    )

  /** The plan of the first request that ended the run with this content. */
  const planned = (scope: Scope, run: Run, hash: string, request: Payload<typeof RunComplete>, caller: Caller) =>
    Effect.gen(function*() {
      const meta = {
        ...(yield* metaOf(RunComplete.tag, {}, caller, "asserted")),
        idem_hash: sha256(canonical(["run.end", run.run_id])),
        payload_hash: hash
      }
      const at = yield* Clock.currentTimeMillis
      const { rows, unknown } = yield* usedRows(reader, scope, caller.boundUser, run, request.memories_used ?? [], at)
      const own = { at, used: rows.map((row) => ({ id: row.memory_id, owner: row.user_id })), unknown }
      const corrupt = () => new Corrupt({ operation: "RunHandlers.plan" })
      const answer = yield* Effect.mapError(Schema.encode(Plan)(own), corrupt)
      const { first } = yield* client.answer(scope, { _tag: "memory.answer", meta, answer })
      return first === null ? own : yield* Effect.mapError(Schema.decode(Plan)(first), corrupt)
    })

  const complete = (request: Payload<typeof RunComplete>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      const found = none ? Option.none<Run>() : yield* runs.find(scope, user, request.run_id)
      if (Option.isNone(found)) return notFound(request.run_id)
      const run = found.value
      if (request.session_id !== undefined && request.session_id !== run.session_id) return notFound(request.run_id)
      const hash = completedHash(request)
      if (run.end !== null) return run.end.completed_sha256 === hash ? completedOf(run) : yield* conflict(run)
      const { final_response, metadata, outcome = "unknown", reflection = "", retain = "full", weight = 1 } = request
      yield* intake.texts(textsOf({ final_response, metadata }))
      const reflection_id = reflection.trim() === "" ? "" : yield* orConflict(run)(reflect(run, reflection, caller))
      yield* faultPoint("run.after_reflection")
      const plan = yield* orConflict(run)(planned(scope, run, hash, request, caller))
      yield* faultPoint("run.after_plan")
      const recorded_at = yield* Clock.currentTimeMillis
      yield* uses.record(plan.used.map(({ id, owner }) => ({
        scope,
        memory_id: id,
        owner_id: owner,
        caller: caller.actor,
        source: "run",
        run_id: run.run_id,
        user_id: run.user_id,
        outcome,
        ...votesOf(outcome, weight),
        note: "",
        at: plan.at,
        recorded_at
      })))
      yield* faultPoint("run.after_uses")
      const end: RunEnd = {
        status: request.status ?? "completed",
        outcome,
        weight,
        final_response: retain === "full" ? final_response ?? "" : "",
        confidence: request.confidence ?? null,
        duration_ms: request.duration_ms ?? null,
        completion: JSON.stringify(retain === "full" ? metadata ?? {} : {}),
        memories_used: plan.used.map(({ id }) => id),
        unknown_used: plan.unknown,
        recalled_keys: [...new Set(request.recalled_keys ?? [])],
        reflection_id,
        retain,
        completed_at: plan.at,
        completed_by: caller.actor,
        completed_sha256: hash
      }
      const ended = { ...run, end }
      yield* runs.put(ended)
      return completedOf(ended)
    })

  const get = (request: Payload<typeof RunGet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const run = yield* runs.find(scope, caller.boundUser, request.run_id)
      return { found: Option.isSome(run), run: Option.getOrNull(Option.map(run, viewOf)) }
    })

  const list = (request: Payload<typeof RunList>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      if (none) return { runs: [], next_cursor: null }
      const { cursor, limit = DEFAULT_PAGE } = request
      const filter = {
        user_id: user,
        agent: request.agent ?? null,
        session_id: request.session_id ?? null,
        status: request.status ?? null,
        outcome: request.outcome ?? null
      }
      const listing = { verb: RunList.tag, caller, filter: { ...filter, ...scope } }
      const after = cursor === undefined ? null : yield* cursors.take(listing, Place, cursor)
      const found = yield* runs.list(scope, filter, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page[page.length - 1]
      return {
        runs: page.map(viewOf),
        next_cursor: found.length > limit && last !== undefined
          ? yield* cursors.give(listing, { begun_at: last.begun_at, run_id: last.run_id })
          : null
      }
    })

  return [bind(RunBegin, begin), bind(RunComplete, complete), bind(RunGet, get), bind(RunList, list)]
})
