/** What cannot be found by meaning yet: counted for one's own rows alone, seldom, and never held up for. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { emptyCommit, MemoryStore } from "../../src/memory/MemoryStore.ts"
import { IndexLag, make } from "../../src/retrieval/IndexLag.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { quiet } from "../platform/ClickhouseTemp.ts"
import { layerVerbs, memory, remember } from "./SearchFixture.ts"

const scope = { org: "acme", namespace: "lag" }

layer(layerVerbs(), { timeout: "2 minutes" })("IndexLag", (it) => {
  it.effect("counts the served memories of a scope and user that have no vector", () =>
    Effect.gen(function*() {
      const [mine, other] = [freshScope(), freshScope()]
      const value = "Green tea at nine"
      const bare = [
        memory(mine, { memory_key: "ada/1", value, user_id: "ada" }),
        memory(mine, { memory_key: "ada/2", value, user_id: "ada" }),
        memory(mine, { memory_key: "eve", value, user_id: "eve" }),
        memory(other, { memory_key: "other", value, user_id: "ada" }),
        memory(mine, { memory_key: "profile", value, user_id: "ada", memory_type: "profile" }),
        memory(mine, { memory_key: "high", value, user_id: "ada", sensitivity: "high" }),
        memory(mine, { memory_key: "gone", value, user_id: "ada", status: "tombstoned" }),
        memory(mine, { memory_key: "over", value, user_id: "ada", expires_at: noon - 1 })
      ]
      yield* TestClock.setTime(noon)
      yield* remember(mine, [{ memory_key: "whole", value, user_id: "ada" }])
      yield* (yield* MemoryStore).commit({ ...emptyCommit, rows: bare })
      const { pending } = yield* IndexLag
      assert.deepStrictEqual(
        yield* Effect.all([pending(mine, "ada"), pending(mine, null), pending(other, null), pending(mine, "nobody")]),
        [2, 3, 1, 0]
      )
    }))
})

describe("IndexLag", () => {
  it.effect("a count of none is kept for long, another is counted again, and one that is late is not waited for", () =>
    Effect.gen(function*() {
      let counts = 0
      let answer: Effect.Effect<number, Unavailable> = Effect.succeed(2)
      const { pending } = yield* make(() =>
        Effect.suspend(() => {
          counts++
          return answer
        })
      )
      const ask = pending(scope, null)
      assert.deepStrictEqual([yield* ask, yield* ask, counts], [2, 2, 1])
      yield* TestClock.adjust("6 seconds")
      answer = Effect.succeed(0)
      assert.deepStrictEqual([yield* ask, yield* ask, counts], [0, 0, 2])
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual([yield* ask, counts], [0, 2])
      yield* TestClock.adjust("2 minutes")
      answer = Effect.fail(new Unavailable({ operation: "test" }))
      assert.isNull(yield* ask)
      yield* TestClock.adjust("6 seconds")
      answer = Effect.delay(Effect.succeed(7), Duration.seconds(4))
      const late = yield* Effect.fork(ask)
      yield* TestClock.adjust("2 seconds")
      assert.isNull(yield* Fiber.join(late))
      // The count went on, and whoever asks next has it.
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([yield* ask, counts], [7, 4])
    }).pipe(Effect.provide(quiet)))
})
