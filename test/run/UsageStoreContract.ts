/** What every store of usage keeps, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { MemoryUsageStore } from "../../src/memory/MemoryUsageStore.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"

export const suite = <E>(name: string, store: Layer.Layer<MemoryUsageStore, E>) =>
  layer(store, { timeout: 60_000 })(`MemoryUsageStore: ${name}`, (it) => {
    it.effect("keeps the last folding of each memory, each namespace its own", () =>
      Effect.gen(function*() {
        const { find, put } = yield* MemoryUsageStore
        const scope = freshScope()
        const usage = {
          memory_id: "mem_1",
          user_id: "ada",
          credit: 0.123456789,
          harm: 2,
          last_at: noon,
          used_count: 3,
          harm_count: 1
        }
        const other = { ...usage, memory_id: "mem_2" }
        yield* put(scope, [usage, other], noon)
        yield* put(freshScope(), [{ ...usage, credit: 9 }], noon + 9)
        yield* put(scope, [{ ...usage, credit: 1 }], noon + 1)
        yield* put(scope, [{ ...usage, credit: 0 }], noon - 1)
        assert.deepStrictEqual(yield* find(scope, ["mem_1", "mem_1", "mem_3"]), [{ ...usage, credit: 1 }])
        assert.deepStrictEqual((yield* find(scope, ["mem_1", "mem_2"])).length, 2)
        assert.deepStrictEqual(yield* find(scope, []), [])
      }))
  })
