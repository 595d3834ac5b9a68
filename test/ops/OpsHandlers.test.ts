/** Dead letters, lag and health as the verbs tell them, over stores in this process. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { make as makeDispatch } from "../../services/gateway/Dispatch.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { ClusterLook } from "../../src/ops/ClusterLook.ts"
import type { ClusterView } from "../../src/ops/ClusterModel.ts"
import { OpsGround } from "../../src/ops/OpsGroundModel.ts"
import * as OpsHandlers from "../../src/ops/OpsHandlers.ts"
import { layerTest } from "../../src/platform/EmbedderTest.ts"
import * as ChangeFeed from "../../src/work/ChangeFeed.ts"
import { reaches } from "../../src/work/WorkerModel.ts"
import type { DeadLetter, Reach } from "../../src/work/WorkerModel.ts"
import * as WorkerStore from "../../src/work/WorkerStore.ts"
import { append } from "../workers/WorkerFixture.ts"

const eng = { org: "acme", namespace: "eng" }
const ops = { org: "acme", namespace: "ops" }
const foreign = { org: "globex", namespace: "eng" }

const admin: Caller = { ...localCaller, actor: "human:ada", org: "acme", namespaces: ["*"] }
const narrow: Caller = { ...admin, namespaces: ["eng"], defaultNamespace: "eng" }

/** Of every namespace, what is within the reach. */
const viewOf = (reach: Reach, limit: number): ClusterView => {
  const mine = [eng, ops, foreign].filter((scope) => reaches(reach, scope))
  return {
    kind: "process",
    runners: [],
    runners_left_out: 0,
    shards_unheld: [],
    workers: [],
    namespaces: mine.slice(0, limit).map((scope) => ({
      ...scope,
      shard: 1,
      runner: null,
      epoch_text: null,
      holder: null,
      taken_at: null,
      waiting: 0,
      open_intents: 0
    })),
    namespaces_left_out: Math.max(0, mine.length - limit),
    open_intents: 0,
    open_intents_oldest_seconds: null,
    messages: null,
    relay: null,
    pruning: [],
    schemas: [],
    degraded: []
  }
}

let ready = true
const house = OpsHandlers.make.pipe(
  Effect.map(makeDispatch),
  Effect.map(({ call }) => (verb: string, request: object, caller: Caller = admin) =>
    Effect.map(call(verb, request, caller), (answer): Record<string, unknown> => ({ ...Object(answer) }))
  )
)

const layer = ChangeFeed.layerMemory.pipe(
  Layer.provideMerge(Layer.mergeAll(
    ChangeFeed.layerChanges,
    WorkerStore.layerMemory,
    layerTest,
    Layer.succeed(ClusterLook, { look: (reach, limit) => Effect.succeed(viewOf(reach, limit)) }),
    Layer.succeed(OpsGround, {
      checks: Effect.sync(() => [{ name: "clickhouse", ready }]),
      workers: [{ name: "resolver", reads: "feed" }, { name: "clock", reads: "schedule" }]
    })
  ))
)

const letter = (scope: typeof eng, position: bigint): DeadLetter => ({
  worker: "resolver",
  scope,
  position,
  memory_id: `mem_${position}`,
  change: "create",
  code: "INTERNAL",
  tries: 5,
  first_at: Number(position),
  at: Number(position),
  state: "open",
  actor: ""
})

const beat = (worker: string, at: number, state: "running" | "failed" = "running") =>
  Effect.flatMap(
    WorkerStore.WorkerStore,
    ({ report }) => report({ worker, state, code: state === "failed" ? "UNAVAILABLE" : "", epoch: 0n, at })
  )

describe("ops.dead_letters", () => {
  it.effect("lists, retries and drops what the caller's token opens, and nothing else", () =>
    Effect.gen(function*() {
      const call = yield* house
      const store = yield* WorkerStore.WorkerStore
      yield* store.file([letter(eng, 1n), letter(eng, 2n), letter(ops, 3n), letter(foreign, 4n)])
      const versions = (answer: Record<string, unknown>) =>
        Object(answer)["letters"].map((one: { readonly version_text: string }) => one.version_text)
      assert.deepEqual(versions(yield* call("ops.dead_letters", {})), ["1", "2", "3"])
      assert.deepEqual(versions(yield* call("ops.dead_letters", {}, narrow)), ["1", "2"])
      assert.deepEqual(versions(yield* call("ops.dead_letters", { namespace: "ops" })), ["3"])

      // Another's letter is not there, by its version as by all.
      const none = yield* call("ops.dead_letters", { action: "drop", versions: ["3", "4"] }, narrow)
      assert.deepEqual(none, { letters: [], changed: 0 })
      const retried = yield* call("ops.dead_letters", { action: "retry", versions: ["1"] }, narrow)
      assert.deepInclude(retried, { changed: 1 })
      assert.strictEqual((yield* call("ops.dead_letters", { action: "drop", all: true }, narrow))["changed"], 2)
      assert.deepEqual(versions(yield* call("ops.dead_letters", {})), ["3"])
      const everything = { reach: "everything", worker: null, limit: 9 } as const
      const left = yield* store.letters({ ...everything, states: ["open"] })
      assert.deepEqual(left.map(({ position }) => position), [3n, 4n])
      const dropped = yield* store.letters({ ...everything, states: ["dropped"] })
      assert.deepEqual(dropped.map(({ actor }) => actor), ["human:ada", "human:ada"])
    }).pipe(Effect.provide(layer)))
})

describe("ops.cluster", () => {
  it.effect("tells the namespaces that a token opens, those of every org to the operator, and none to a user", () =>
    Effect.gen(function*() {
      const call = yield* house
      const seen = (request: object, caller: Caller) =>
        Effect.map(call("ops.cluster", request, caller), (answer) => [
          Object(answer)["namespaces"].map((one: typeof eng) => `${one.org}/${one.namespace}`),
          answer["namespaces_left_out"]
        ])
      assert.deepEqual(yield* seen({}, admin), [["acme/eng", "acme/ops"], 0])
      assert.deepEqual(yield* seen({ limit: 1 }, admin), [["acme/eng"], 1])
      assert.deepEqual(yield* seen({}, narrow), [["acme/eng"], 0])
      assert.deepEqual(yield* seen({ namespace: "ops" }, admin), [["acme/ops"], 0])
      const operator: Caller = { ...admin, org: "-", namespaces: [], platform: true }
      assert.deepEqual(yield* seen({}, operator), [["acme/eng", "acme/ops", "globex/eng"], 0])
      for (
        const [request, caller] of [
          [{ namespace: "ops" }, narrow],
          [{}, { ...admin, boundUser: "ada" }],
          [{}, { ...admin, role: "write" as const }]
        ] as const
      ) {
        const refused = yield* Effect.flip(call("ops.cluster", request, caller))
        assert.strictEqual(refused._tag === "Refusal" ? refused.code : refused._tag, "FORBIDDEN")
      }
    }).pipe(Effect.provide(layer)))
})

describe("ops.workers", () => {
  it.effect("tells lag, failures and silence", () =>
    Effect.gen(function*() {
      const call = yield* house
      const store = yield* WorkerStore.WorkerStore
      yield* TestClock.setTime(100_000)
      yield* append(eng, 90_000_000_000n, 95_000_000_000n)
      yield* append(ops, 99_000_000_000n)
      yield* append(foreign, 1n)
      yield* store.move("resolver", 0n, [
        { scope: eng, position: 90_000_000_000n, failures: 2, code: "UNAVAILABLE", at: 0 }
      ])
      yield* store.file([letter(eng, 1n)])
      yield* beat("resolver", 99_000)
      const seen = Effect.map(call("ops.workers", {}), (answer) => Object(answer)["workers"])
      const [resolver, clock] = yield* seen
      assert.deepInclude(resolver, {
        name: "resolver",
        state: "running",
        last_error: "UNAVAILABLE",
        lag_changes: 2,
        lag_seconds: 5,
        dead_letters: 1,
        namespaces_total: 2
      })
      assert.deepEqual(resolver.namespaces, [
        {
          namespace: "eng",
          cursor: "90000000000",
          state: "failed",
          last_error: "UNAVAILABLE",
          lag_changes: 1,
          lag_seconds: 5,
          dead_letters: 1
        },
        {
          namespace: "ops",
          cursor: "0",
          state: "running",
          last_error: null,
          lag_changes: 1,
          lag_seconds: 1,
          dead_letters: 0
        }
      ])
      assert.deepInclude(clock, { state: "stopped", last_seen_at: null })
      yield* beat("clock", 99_500, "failed")
      assert.deepInclude((yield* seen)[1], { state: "failed", last_error: "UNAVAILABLE" })
      yield* TestClock.setTime(200_000)
      assert.deepInclude((yield* seen)[0], { state: "stopped" })
    }).pipe(Effect.provide(layer)))
})

describe("ops.health", () => {
  it.effect("is healthy when everything answers, works and gave up on nothing", () =>
    Effect.gen(function*() {
      const call = yield* house
      const store = yield* WorkerStore.WorkerStore
      const healthy = Effect.map(call("ops.health", {}), (answer) => answer["healthy"])
      assert.isFalse(yield* healthy)
      yield* beat("resolver", 0)
      yield* beat("clock", 0)
      assert.isTrue(yield* healthy)
      yield* store.file([letter(foreign, 4n)])
      assert.isTrue(yield* healthy)
      yield* store.file([letter(eng, 4n)])
      assert.isFalse(yield* healthy)
      ready = false
      assert.deepInclude(yield* call("ops.health", {}), { healthy: false, workers: [] })
      ready = true
    }).pipe(Effect.provide(layer)))
})
