/** Calls that go together: who waits goes with the next call, everybody gets his own answer, and a failure is of one call. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Together from "../../src/kernel/Together.ts"

/** A store that answers when it is told to, and keeps what it was asked. */
const slow = (most: number) =>
  Effect.gen(function*() {
    const asked: Array<ReadonlyArray<number>> = []
    const door = yield* Effect.makeSemaphore(1)
    yield* door.take(1)
    const call = yield* Together.make((all: ReadonlyArray<number>) => {
      asked.push(all)
      return door.withPermits(1)(
        all.includes(13) ? Effect.fail("unlucky" as const) : Effect.succeed(all.map((one) => ({ twice: 2 * one })))
      )
    }, most)
    return { asked, call, open: door.release(1) }
  })

const all = (numbers: ReadonlyArray<number>, call: (one: number) => Effect.Effect<unknown, string>) =>
  Effect.fork(Effect.forEach(numbers, (one) => Effect.exit(call(one)), { concurrency: "unbounded" }))

describe("calls that go together", () => {
  it.scoped("take whatever waits, in order, and no more than may go at once", () =>
    Effect.gen(function*() {
      const { asked, call, open } = yield* slow(3)
      const first = yield* all([1], call)
      yield* Effect.yieldNow()
      const rest = yield* all([2, 3, 4, 5, 6], call)
      yield* Effect.yieldNow()
      yield* open
      const answers = [...(yield* Fiber.join(first)), ...(yield* Fiber.join(rest))]
      assert.deepStrictEqual(answers, [1, 2, 3, 4, 5, 6].map((one) => Exit.succeed({ twice: 2 * one })))
      assert.deepStrictEqual(asked, [[1], [2, 3, 4], [5, 6]])
    }))

  it.scoped("fail together, and the next call is a new one", () =>
    Effect.gen(function*() {
      const { call, open } = yield* slow(10)
      yield* open
      const before = yield* all([1], call)
      yield* Fiber.join(before)
      const both = yield* Fiber.join(yield* all([13, 14], call))
      // The first of them had gone alone, or both went together: the unlucky one fails in any case.
      assert.deepStrictEqual(both[0], Exit.fail("unlucky"))
      assert.deepStrictEqual(yield* call(14), { twice: 28 })
    }))

  it.scoped("are not kept from others by one that goes away", () =>
    Effect.gen(function*() {
      const { call, open } = yield* slow(10)
      const gone = yield* Effect.fork(call(1))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(gone)
      yield* open
      assert.deepStrictEqual(yield* call(2), { twice: 4 })
    }))

  it.scoped("are told when an answer is missing", () =>
    Effect.gen(function*() {
      const call = yield* Together.make((_: ReadonlyArray<number>) => Effect.succeed<ReadonlyArray<object>>([]), 5)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(call(1))))
    }))
})
