/** The worker that folds uses: on its schedule, from where the last run was, and the same numbers however often. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryUsageStore from "../../src/memory/MemoryUsageStore.ts"
import { HALF_LIFE_MILLIS } from "../../src/run/UseModel.ts"
import * as UseStore from "../../src/run/UseStore.ts"
import { NO_FEED } from "../../src/work/WorkerModel.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"
import * as UsageFold from "../../workers/UsageFold.ts"
import { useOf } from "../run/UseStoreContract.ts"
import { Faults, layer as layerHouse, pass } from "./WorkerFixture.ts"

const house = Layer.mergeAll(layerHouse, UseStore.layerMemory, MemoryUsageStore.layerMemory)
const scope = { org: "acme", namespace: "eng" }

const folded = Effect.flatMap(MemoryUsageStore.MemoryUsageStore, ({ find }) => find(scope, ["mem_1"]))

describe("usage_fold", () => {
  it.scoped("counts what was reported since, and all of a memory's reports whenever they were", () =>
    Effect.gen(function*() {
      const { record } = yield* UseStore.UseStore
      yield* pass(1)
      yield* record([useOf(scope, { at: 500, recorded_at: 500 })])
      yield* Layer.build(UsageFold.make({ idle: "1 second" })("process"))
      yield* pass(3)
      assert.deepInclude((yield* folded)[0], { used_count: 1, credit: 1, last_at: 500 })
      yield* record([
        useOf(scope, { caller: "human:bob", at: 9_000, recorded_at: 9_000, credit: 0, harm: 1, run_id: "r" })
      ])
      yield* pass(70)
      const both = yield* folded
      assert.deepInclude(both[0], { used_count: 2, harm_count: 1, harm: 1, last_at: 9_000 })
      assert.closeTo(both[0]?.credit ?? 0, 2 ** (-8_500 / HALF_LIFE_MILLIS), 1e-9)
      yield* pass(130)
      assert.deepStrictEqual(yield* folded, both)
    }).pipe(Effect.provide(house)))

  it.effect("looks ten minutes behind its last run, and no further", () =>
    Effect.gen(function*() {
      const { record } = yield* UseStore.UseStore
      const { move } = yield* WorkerStore
      const last = 3_600_000
      const kept = { scope: NO_FEED, position: BigInt(last) * 1_000_000n, failures: 0, code: "", at: last }
      yield* move(UsageFold.NAME, 0n, [kept])
      yield* record([useOf(scope, { memory_id: "mem_old", recorded_at: last - 600_001 })])
      yield* UsageFold.run
      const { find } = yield* MemoryUsageStore.MemoryUsageStore
      assert.deepStrictEqual(yield* find(scope, ["mem_old"]), [])
      yield* record([useOf(scope, { recorded_at: last - 600_000 })])
      yield* UsageFold.run
      assert.strictEqual((yield* folded).length, 1)
    }).pipe(Effect.provide(house)))

  it.effect("broken off between two pages leaves nothing out when it runs again", () =>
    Effect.gen(function*() {
      const { record } = yield* UseStore.UseStore
      const { at } = yield* Faults
      const ids = Array.from({ length: 1_200 }, (_, n) => `mem_${String(n).padStart(4, "0")}`)
      yield* record(ids.map((memory_id) => useOf(scope, { memory_id })))
      at.set("usage_fold.between", [Effect.void, Effect.dieMessage("broken off")])
      assert.strictEqual((yield* Effect.exit(UsageFold.run))._tag, "Failure")
      const { find } = yield* MemoryUsageStore.MemoryUsageStore
      assert.strictEqual((yield* find(scope, ids)).length, 1_000)
      yield* UsageFold.run
      assert.strictEqual((yield* find(scope, ids)).length, 1_200)
    }).pipe(Effect.provide(house)))
})
