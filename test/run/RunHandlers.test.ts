/**
 * Runs and outcomes in this process: broken off at every point and made again, each report counts once; ended once; what
 * comes of a decision is its tag; and a bound user's runs are its own.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { MemoryLock } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryUsageStore } from "../../src/memory/MemoryUsageStore.ts"
import { MemoryDelete, MemoryGet, MemoryHistory, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryOutcome } from "../../src/run/OutcomeVerbs.ts"
import { RunBegin, RunComplete, RunGet, RunList } from "../../src/run/RunVerbs.ts"
import { UseStore } from "../../src/run/UseStore.ts"
import * as UsageFold from "../../workers/UsageFold.ts"
import { ask } from "../support/ActorHouse.ts"
import { Breaks, layer as layerHouse, run } from "./RunHouse.ts"

const boundTo = (user: string): Caller => ({ ...localCaller, actor: `human:${user}`, role: "write", boundUser: user })

let spaces = 0
/** A namespace with two memories, and what names them. */
const setup = Effect.gen(function*() {
  const namespace = `runs-${++spaces}`
  const scope = { org: "dev", namespace }
  const a = yield* ask(MemorySet, { namespace, memory_key: "k/a", value: "Deploys happen on Tuesdays" })
  const b = yield* ask(MemorySet, { namespace, memory_key: "k/b", value: "The gateway listens on port 7777" })
  const { run_id } = yield* run(RunBegin, { namespace, goal: "Deploy the gateway", agent: "bot" })
  const usage = Effect.flatMap(UseStore, ({ tallies }) => tallies(scope, [a.memory_id, b.memory_id]))
  return { namespace, scope, a, b, run_id, usage }
})

const codeOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), (error) => "code" in error ? error.code : error._tag)

describe("Runs", () => {
  it.live("end with what they relied on, once, however often it is said", () =>
    Effect.gen(function*() {
      const { a, b, namespace, run_id, usage } = yield* setup
      const request = {
        namespace,
        run_id,
        outcome: "success",
        weight: 0.5,
        memories_used: [a.memory_id, "k/b", "k/none", "mem_none", "k/a"],
        recalled_keys: ["k/c"],
        final_response: "Deployed.",
        metadata: { tools: ["kubectl"] },
        confidence: 0.9,
        duration_ms: 1200,
        reflection: "Look at the calendar before deploying."
      }
      const first = yield* run(RunComplete, request)
      assert.deepInclude(first, {
        found: true,
        completed: true,
        status: "completed",
        outcome: "success",
        memories_used: [a.memory_id, b.memory_id],
        unknown: ["k/none", "mem_none"],
        reflection_key: `run/${run_id}/reflection`
      })
      assert.deepStrictEqual(yield* run(RunComplete, request), first)
      // What is left out stands for what is said; the order of names says nothing.
      const said = {
        ...request,
        status: "completed",
        retain: "full",
        memories_used: [...request.memories_used].reverse()
      }
      assert.deepStrictEqual(yield* run(RunComplete, said), first)
      for (const other of [{ outcome: "failure" }, { final_response: "No." }, { weight: 1 }, { memories_used: [] }]) {
        assert.strictEqual(yield* codeOf(run(RunComplete, { ...request, ...other })), "RUN_CONFLICT")
      }
      const tallies = yield* usage
      assert.deepStrictEqual(tallies.map(({ credit, harm, uses }) => [credit, harm, uses]), [[0.5, 0, 1], [0.5, 0, 1]])
      const lesson = yield* ask(MemoryGet, { namespace, memory_key: `run/${run_id}/reflection` })
      assert.deepInclude(lesson, { memory_type: "reflection", run_id, agent: "bot" })
      assert.strictEqual(lesson.memory_id, first.reflection_id)
      const { run: shown } = yield* run(RunGet, { namespace, run_id })
      assert.deepInclude(shown, {
        goal: "Deploy the gateway",
        outcome: "success",
        final_response: "Deployed.",
        recalled_keys: ["k/c"],
        user_request: null
      })
      assert.deepStrictEqual(shown?.completion_metadata, { tools: ["kubectl"] })
    }).pipe(Effect.provide(layerHouse)))

  for (const point of ["run.after_reflection", "run.after_plan", "run.after_uses"]) {
    it.live(`broken off at ${point} and ended again are ended once`, () =>
      Effect.gen(function*() {
        const { a, namespace, run_id, usage } = yield* setup
        const breaks = yield* Breaks
        const request = {
          namespace,
          run_id,
          outcome: "failure",
          memories_used: ["k/a"],
          reflection: "The window was closed."
        }
        breaks.add(point)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(run(RunComplete, request))))
        assert.deepInclude((yield* run(RunGet, { namespace, run_id })).run, { status: "running", outcome: null })
        // The key means nothing any more; the plan of the first request stands once it was made.
        if (point !== "run.after_reflection") yield* ask(MemoryDelete, { namespace, memory_key: "k/a" })
        const ended = yield* run(RunComplete, request)
        assert.deepStrictEqual(ended.memories_used, [a.memory_id])
        const [tally, none] = yield* usage
        assert.deepInclude(tally, { credit: 0, harm: 1, uses: 1, harms: 1 })
        assert.isUndefined(none)
        const { versions } = yield* ask(MemoryHistory, { namespace, memory_key: `run/${run_id}/reflection` })
        assert.strictEqual(versions.length, 1)
      }).pipe(Effect.provide(layerHouse)))
  }

  it.live("of two ends at once one holds, and the other is told so", () =>
    Effect.gen(function*() {
      const { namespace, run_id, usage } = yield* setup
      const ends = ["success", "failure", "success", "partial"].map((outcome) =>
        Effect.either(run(RunComplete, { namespace, run_id, outcome, memories_used: ["k/a"] }))
      )
      const found = yield* Effect.all(ends, { concurrency: "unbounded" })
      const held = found.flatMap((one) => one._tag === "Right" ? [one.right.outcome] : [])
      const refused = found.flatMap((one) => one._tag === "Left" && one.left._tag === "Refusal" ? [one.left.code] : [])
      assert.strictEqual(new Set(held).size, 1)
      assert.deepStrictEqual(refused, refused.map(() => "RUN_CONFLICT"))
      assert.strictEqual(held.length + refused.length, 4)
      assert.strictEqual((yield* usage)[0]?.uses, 1)
      assert.strictEqual((yield* run(RunGet, { namespace, run_id })).run?.outcome, held[0])
    }).pipe(Effect.provide(layerHouse)))

  it.live("begun under one key are one run", () =>
    Effect.gen(function*() {
      const { namespace } = yield* setup
      const request = { namespace, goal: "Once", idempotency_key: "k1" }
      const first = yield* run(RunBegin, request)
      assert.deepStrictEqual(yield* run(RunBegin, request), first)
      assert.strictEqual(yield* codeOf(run(RunBegin, { ...request, goal: "Twice" })), "IDEMPOTENCY_CONFLICT")
      assert.notStrictEqual((yield* run(RunBegin, { namespace, goal: "Once" })).run_id, first.run_id)
    }).pipe(Effect.provide(layerHouse)))

  it.live("refuse what is too long, what is blank and what holds a credential, and keep none of it", () =>
    Effect.gen(function*() {
      const { namespace, run_id } = yield* setup
      const key = `AKIA${"IOSFODNN7EXAMPLE".slice(0, 16)}`
      const long = "é".repeat(32 * 1024 + 1)
      const begin = (fields: object) => codeOf(run(RunBegin, { namespace, goal: "g", ...fields }))
      const end = (fields: object) => codeOf(run(RunComplete, { namespace, run_id, ...fields }))
      assert.strictEqual(yield* begin({ goal: "  " }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* begin({ user_request: long }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* begin({ user_request: `use ${key}` }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* begin({ metadata: { deep: [{ [key]: 1 }] } }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* end({ final_response: long }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* end({ final_response: `I used ${key}` }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* end({ metadata: { a: { b: long } } }), "INVALID_ARGUMENT")
      assert.strictEqual(yield* end({ weight: 1.5 }), "INVALID_ARGUMENT")
      assert.strictEqual((yield* run(RunGet, { namespace, run_id })).run?.status, "running")
      const kept = yield* run(RunComplete, { namespace, run_id, final_response: "Secret plan", retain: "outcome" })
      assert.isTrue(kept.completed)
      assert.deepInclude((yield* run(RunGet, { namespace, run_id })).run, { final_response: null, retain: "outcome" })
    }).pipe(Effect.provide(layerHouse)))

  it.live("of another user are not there for a token bound to one", () =>
    Effect.gen(function*() {
      const { namespace, run_id } = yield* setup
      const [ada, bob] = [boundTo("ada"), boundTo("bob")]
      const own = yield* run(RunBegin, { namespace, goal: "Ada's" }, ada)
      yield* ask(MemorySet, { namespace, memory_key: "k/bob", value: "Bob's own note on lunch" }, bob)
      for (const id of [run_id, own.run_id, "run_none"]) {
        assert.deepStrictEqual(yield* run(RunGet, { namespace, run_id: id }, bob), { found: false, run: null })
        const ended = yield* run(RunComplete, { namespace, run_id: id, outcome: "failure" }, bob)
        assert.deepStrictEqual([ended.found, ended.completed, ended.run_id], [false, false, id])
      }
      assert.deepStrictEqual((yield* run(RunList, { namespace }, bob)).runs, [])
      assert.deepStrictEqual((yield* run(RunList, { namespace, user_id: "ada" }, bob)).runs, [])
      const listed = yield* run(RunList, { namespace }, ada)
      assert.deepStrictEqual(listed.runs.map(({ goal }) => goal), ["Ada's"])
      // What Ada names and may not read is not found, as what is not there.
      const ended = yield* run(RunComplete, { namespace, run_id: own.run_id, memories_used: ["k/bob", "k/none"] }, ada)
      assert.deepStrictEqual([ended.memories_used, ended.unknown], [[], ["k/bob", "k/none"]])
    }).pipe(Effect.provide(layerHouse)))
})

describe("An outcome", () => {
  const decision = (namespace: string, fields: object = {}) =>
    ask(MemorySet, {
      namespace,
      memory_key: "d/retries",
      value: "Retries belong in the client",
      memory_type: "decision",
      ...fields
    })

  it.live("marks a decision that failed, and takes the mark off when it works after all", () =>
    Effect.gen(function*() {
      const { namespace, scope } = yield* setup
      const { memory_id } = yield* decision(namespace, { tags: ["kept"] })
      const tags = Effect.map(ask(MemoryGet, { namespace, memory_key: "d/retries" }), (row) => row.tags)
      const say = (outcome: string, fields: object = {}) =>
        run(MemoryOutcome, { namespace, memory_key: "d/retries", outcome, ...fields })
      assert.deepInclude(yield* say("failure", { note: "It looped", run_id: "run_x" }), {
        found: true,
        vote: "harm",
        decision: true,
        failed: true,
        memory_id
      })
      assert.deepStrictEqual(yield* tags, ["kept", "outcome:failed"])
      assert.isTrue((yield* say("unknown")).failed)
      assert.isTrue((yield* say("failure")).failed)
      assert.deepStrictEqual(yield* tags, ["kept", "outcome:failed"])
      assert.isFalse((yield* say("success")).failed)
      assert.deepStrictEqual(yield* tags, ["kept"])
      const [tally] = yield* Effect.flatMap(UseStore, ({ tallies }) => tallies(scope, [memory_id]))
      // Of one caller on one day, by run: the last word under each.
      assert.deepInclude(tally, { uses: 2, harms: 1, credit: 0.5, harm: 0.5 })
    }).pipe(Effect.provide(layerHouse)))

  it.live("under one key is one report, and no other", () =>
    Effect.gen(function*() {
      const { a, namespace, usage } = yield* setup
      const said = { namespace, memory_id: a.memory_id, outcome: "success", idempotency_key: "o1" }
      const first = yield* run(MemoryOutcome, said)
      const [before] = yield* usage
      assert.deepStrictEqual(yield* run(MemoryOutcome, said), first)
      // Of the time when it was first made.
      assert.deepStrictEqual((yield* usage)[0], before)
      assert.strictEqual(yield* codeOf(run(MemoryOutcome, { ...said, outcome: "failure" })), "IDEMPOTENCY_CONFLICT")
    }).pipe(Effect.provide(layerHouse)))

  it.live("is a vote on what is no decision, and leaves its tags", () =>
    Effect.gen(function*() {
      const { a, namespace } = yield* setup
      const said = yield* run(MemoryOutcome, { namespace, memory_id: a.memory_id, outcome: "failure" })
      assert.deepInclude(said, { found: true, recorded: true, vote: "harm", decision: false, failed: false })
      assert.deepStrictEqual((yield* ask(MemoryGet, { namespace, memory_key: "k/a" })).tags, [])
      const tagged = yield* ask(MemorySet, { namespace, memory_key: "k/t", value: "Use tabs", tags: ["decision"] })
      assert.isTrue((yield* run(MemoryOutcome, { namespace, memory_id: tagged.memory_id, outcome: "failure" })).failed)
    }).pipe(Effect.provide(layerHouse)))

  it.live("of a locked decision is refused whole, of what is not there a miss", () =>
    Effect.gen(function*() {
      const { namespace, scope } = yield* setup
      const { memory_id } = yield* decision(namespace)
      yield* ask(MemoryLock, { namespace, memory_id, reason: "audit" })
      const locked = run(MemoryOutcome, { namespace, memory_id, outcome: "failure" })
      assert.strictEqual(yield* codeOf(locked), "LOCKED")
      assert.deepStrictEqual(yield* Effect.flatMap(UseStore, ({ tallies }) => tallies(scope, [memory_id])), [])
      const missed = yield* run(MemoryOutcome, { namespace, memory_key: "d/none", outcome: "success" })
      assert.deepInclude(missed, { found: false, recorded: false, vote: "none" })
      const foreign = yield* run(MemoryOutcome, { namespace, memory_id, outcome: "failure" }, boundTo("bob"))
      assert.deepStrictEqual(foreign, { ...missed, outcome: "failure" })
      assert.strictEqual(
        yield* codeOf(run(MemoryOutcome, { namespace, outcome: "success" })),
        "INVALID_ARGUMENT"
      )
    }).pipe(Effect.provide(layerHouse)))

  it.live("is folded into numbers that a read shows when it is asked, the same however often it is folded", () =>
    Effect.gen(function*() {
      const { a, namespace, scope } = yield* setup
      const read = ask(MemoryGet, { namespace, memory_key: "k/a", include_usage: true })
      assert.deepInclude(yield* read, { used_count: 0, harm_count: 0, last_used_at: null })
      for (let n = 0; n < 30; n++) {
        const voter: Caller = { ...localCaller, actor: n < 20 ? "process:loud" : `human:${n}` }
        const outcome = n < 20 ? "failure" : "success"
        yield* run(MemoryOutcome, { namespace, memory_id: a.memory_id, outcome, run_id: `run_${n}` }, voter)
      }
      yield* UsageFold.run
      const shown = yield* read
      assert.deepInclude(shown, { used_count: 30, harm_count: 20 })
      assert.isAbove(Date.parse(shown.last_used_at ?? ""), 0)
      assert.notProperty(yield* ask(MemoryGet, { namespace, memory_key: "k/a" }), "used_count")
      const usages = yield* MemoryUsageStore
      const folded = yield* usages.find(scope, [a.memory_id])
      // Twenty reports of one caller are one vote.
      assert.closeTo(folded[0]?.credit ?? 0, 10, 1e-3)
      assert.closeTo(folded[0]?.harm ?? 0, 1, 1e-3)
      const breaks = yield* Breaks
      breaks.add("usage_fold.between")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(UsageFold.run)))
      yield* UsageFold.run
      assert.deepStrictEqual(yield* usages.find(scope, [a.memory_id]), folded)
    }).pipe(Effect.provide(layerHouse)))
})
