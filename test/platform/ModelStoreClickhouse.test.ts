/** The stores on a migrated engine, and the pruning of answers. */
import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { ModelAnswerStore } from "../../src/platform/ModelAnswerStore.ts"
import * as ModelAnswerStoreClickhouse from "../../src/platform/ModelAnswerStoreClickhouse.ts"
import * as ModelUsageStoreClickhouse from "../../src/platform/ModelUsageStoreClickhouse.ts"
import * as PruneModelAnswersClickhouse from "../../src/work/PruneModelAnswersClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./ModelStoreContract.ts"

// One engine for the file: an engine that was closed does not open again in its process.
const shared = Layer.merge(ModelAnswerStoreClickhouse.layer, ModelUsageStoreClickhouse.layer).pipe(
  Layer.provideMerge(layerEngine)
)

suite("ClickHouse", shared)

const DAY = 86_400_000

layer(shared, { timeout: 60_000 })("pruning of answers", (it) => {
  it.effect("removes those that are not given again, and no others, a few at a time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-30T12:00:00Z"))
      const now = yield* Clock.currentTimeMillis
      const { find, keep } = yield* ModelAnswerStore
      const { prune } = yield* PruneModelAnswersClickhouse.make
      const scope = { org: "pruned", namespace: "eng" }
      const ages = [1, 29, 30, 31.5, 32, 33, 60]
      yield* Effect.forEach(ages, (age) =>
        keep(scope, `${age}`, { model: "m", text: "t", truncated: false, at: now - age * DAY }))
      // What other tests of this file kept is older than all of it.
      let removed = 0
      for (let count = yield* prune(2); count > 0; count = yield* prune(2)) {
        removed += count
      }
      assert.isAtLeast(removed, 4)
      const left = yield* Effect.filter(ages, (age) =>
        Effect.map(find(scope, `${age}`, 0), Option.isSome))
      assert.deepStrictEqual(left, [1, 29, 30])
    }))
})
