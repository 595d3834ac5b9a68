/** What the fence decides is counted, and is what it was. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { Fence } from "../../src/memory/Fence.ts"
import { layerMemory } from "../../src/memory/FenceMemory.ts"
import * as FenceMetrics from "../../src/memory/FenceMetrics.ts"
import { intentOf, suite } from "./FenceContract.ts"
import { freshScope } from "./MemoryFixture.ts"

const layer = Layer.provide(FenceMetrics.layer, layerMemory)

suite("memory, counted", layer)

const counts = Effect.map(Metric.snapshot, (pairs) =>
  new Map(pairs.map(({ metricKey, metricState }) => [
    [metricKey.name, ...[...metricKey.tags].map(({ value }) => value)].join(" "),
    Number(Object(metricState)["count"] ?? 0)
  ])))

describe("what the fence counts", () => {
  it.effect("is takings, refusals by step, and what was settled", () =>
    Effect.gen(function*() {
      const before = yield* counts
      const fence = yield* Fence
      const scope = freshScope()
      const first = yield* fence.take(scope)
      yield* fence.reserve([intentOf(first, 1n, 10n)])
      yield* fence.reserve([intentOf(first, 2n, 20n)])
      const second = yield* fence.take(scope)
      yield* fence.reserve([intentOf(first, 3n, 30n)])
      yield* fence.confirm([{ ...first, seq: 1n }])
      const [one, two] = second.open
      if (one === undefined || two === undefined) return assert.fail("both are open")
      yield* fence.adopt(first, one)
      yield* fence.adopt(second, one)
      yield* fence.doom(second, two, 2)
      yield* fence.bury(second, two)
      const after = yield* counts
      const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      assert.deepEqual(
        [
          "loom_fence_taken_total",
          "loom_fence_refused_total reserve",
          "loom_fence_refused_total confirm",
          "loom_fence_refused_total settle",
          "loom_intents_settled_total adopted",
          "loom_intents_settled_total voided"
        ].map(grown),
        [2, 1, 1, 1, 1, 1]
      )
    }).pipe(Effect.provide(layer)))
})
