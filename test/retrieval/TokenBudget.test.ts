import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { pack } from "../../src/retrieval/TokenBudget.ts"
import type { Body } from "../../src/retrieval/TokenBudget.ts"

const bodies = fc.array(fc.record({ value: fc.double({ min: 0, max: 1, noNaN: true }), tokens: fc.nat(60) }), {
  maxLength: 8
})

const totals = (given: ReadonlyArray<Body>, shown: ReadonlyArray<boolean>) =>
  given.reduce(
    (sum, { tokens, value }, at) =>
      shown[at] === true ? { tokens: sum.tokens + tokens, value: sum.value + value } : sum,
    { tokens: 0, value: 0 }
  )

/** The most that any choice within the budget is worth. */
const best = (given: ReadonlyArray<Body>, budget: number): number =>
  Array.from(
    { length: 2 ** given.length },
    (_, choice) => totals(given, given.map((_, at) => (choice >> at) % 2 === 1))
  )
    .filter(({ tokens }) => tokens <= budget)
    .reduce((most, { value }) => Math.max(most, value), 0)

describe("TokenBudget", () => {
  it("never goes over, leaves none out that still fits, and is worth at least half of the best choice", () => {
    fc.assert(fc.property(bodies, fc.nat(200), (given, budget) => {
      const shown = pack(given, budget)
      const { tokens, value } = totals(given, shown)
      assert.strictEqual(shown.length, given.length)
      assert.isAtMost(tokens, budget)
      for (const [at, body] of given.entries()) {
        if (shown[at] !== true) assert.isAbove(tokens + body.tokens, budget)
      }
      assert.isAtLeast(value + 1e-9, best(given, budget) / 2)
    }))
  })

  it("goes by what each token says, and lets no row below the threshold go first", () => {
    assert.deepStrictEqual(
      pack([{ value: 0.9, tokens: 90 }, { value: 0.5, tokens: 10 }, { value: 0, tokens: 1 }, {
        value: 0.6,
        tokens: 20
      }], 35),
      [false, true, true, true]
    )
    // The one that answers goes before crumbs.
    assert.deepStrictEqual(pack([{ value: 0.1, tokens: 1 }, { value: 0.9, tokens: 100 }], 100), [false, true])
    assert.deepStrictEqual(pack([{ value: 0.9, tokens: 1 }, { value: 0, tokens: 0 }], 0), [false, true])
    assert.deepStrictEqual(pack([], 10), [])
  })
})
