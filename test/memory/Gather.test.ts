import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { gather } from "../../src/memory/Gather.ts"

/** Turns it waits when so many are there at first and so many more come in each turn. */
const turnsOf = (callers: number, atFirst: number | null, eachTurn: number) =>
  Effect.gen(function*() {
    let turns = 0
    const turn = Effect.sync(() => {
      turns++
    })
    yield* gather(callers, () => atFirst === null ? null : atFirst + turns * eachTurn, turn)
    return turns
  })

describe("gather", () => {
  it.effect("never keeps a lone caller waiting", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* turnsOf(0, 0, 0), 0)
      assert.strictEqual(yield* turnsOf(1, 0, 0), 0)
    }))

  it.effect("begins when a third of the callers is back, and waits a few turns at most", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* turnsOf(64, 22, 0), 0)
      assert.strictEqual(yield* turnsOf(64, 2, 10), 2)
      assert.strictEqual(yield* turnsOf(64, 2, 0), 5)
      assert.strictEqual(yield* turnsOf(2, 1, 0), 0)
      assert.strictEqual(yield* turnsOf(64, null, 0), 0)
    }))

  it.effect("does not stand still with a clock that does", () => gather(64, () => 0))
})
