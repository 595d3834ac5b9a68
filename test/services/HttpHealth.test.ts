import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Health from "../../services/gateway/Health.ts"

describe("Readiness", () => {
  it.effect("is ready when everything answers, and asks at most once a second", () =>
    Effect.gen(function*() {
      let asked = 0
      let failing = false
      const ask = Effect.suspend(() => {
        asked++
        return failing ? Effect.fail("away") : Effect.void
      })
      const { check } = yield* Health.make([{ name: "store", ask }, { name: "other", ask: Effect.void }])
      const ready = { ready: true, checks: [{ name: "store", ready: true }, { name: "other", ready: true }] }
      assert.deepEqual(yield* Effect.replicateEffect(check, 10), Array.from({ length: 10 }, () => ready))
      assert.strictEqual(asked, 1)
      failing = true
      yield* TestClock.adjust("1 seconds")
      assert.deepEqual(yield* check, {
        ready: false,
        checks: [{ name: "store", ready: false }, { name: "other", ready: true }]
      })
      failing = false
      yield* TestClock.adjust("1 seconds")
      assert.deepEqual(yield* check, ready)
    }))

  it.effect("does not wait for what hangs or breaks", () =>
    Effect.gen(function*() {
      const { check } = yield* Health.make([{ name: "hangs", ask: Effect.never }, {
        name: "breaks",
        ask: Effect.die("bug")
      }])
      const report = yield* Effect.fork(check)
      yield* TestClock.adjust("2 seconds")
      assert.isFalse((yield* Fiber.join(report)).ready)
    }))
})
