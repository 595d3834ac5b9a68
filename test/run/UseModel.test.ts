/** What reports come to: bounded for each caller, decaying, the same in any order, and of one half-life with the search. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { usageShare } from "../../src/retrieval/Priors.ts"
import { ALONE, HALF_LIFE_MILLIS, shared, usageOf, votesOf } from "../../src/run/UseModel.ts"
import type { Tally } from "../../src/run/UseModel.ts"
import { noon } from "../memory/MemoryFixture.ts"

const tally = (caller: string, changed: Partial<Tally> = {}): Tally => ({
  memory_id: "mem_1",
  owner_id: "-",
  caller,
  credit: 1,
  harm: 0,
  last_at: noon,
  uses: 1,
  harms: 0,
  ...changed
})

const votes = FastCheck.array(FastCheck.double({ min: 0, max: 60, noNaN: true }), { maxLength: 12 })

describe("a use", () => {
  it("is a vote by what came of it", () => {
    assert.deepStrictEqual(votesOf("success", 0.5), { credit: 0.5, harm: 0 })
    assert.deepStrictEqual(votesOf("partial", 1), { credit: 0.5, harm: 0 })
    assert.deepStrictEqual(votesOf("failure", 0.5), { credit: 0, harm: 0.5 })
    assert.deepStrictEqual(votesOf("unknown", 1), { credit: 0, harm: 0 })
  })

  it("gives no caller more than all others have, or than it may have alone", () => {
    FastCheck.assert(FastCheck.property(votes, (given) => {
      const sum = shared(given)
      const most = Math.max(0, ...given)
      const others = given.reduce((all, one) => all + one, 0) - most
      assert.isAtMost(sum - others, Math.max(ALONE, others) + 1e-9)
      assert.isAtMost(sum, given.reduce((all, one) => all + one, 0) + 1e-9)
      // Where nobody has more than the rest, nothing is taken away.
      if (most <= Math.max(ALONE, others)) assert.closeTo(sum, others + most, 1e-9)
      // One more vote never takes any away.
      for (const [at, vote] of given.entries()) {
        assert.isAtLeast(shared(given.map((one, index) => index === at ? vote + 1 : one)) + 1e-9, sum)
      }
    }))
  })

  it("counts the same in any order, and less as time goes by, at the pace of the search", () => {
    const tallies = [
      tally("a", { last_at: noon - HALF_LIFE_MILLIS, credit: 1.5, uses: 7 }),
      tally("b", { harm: 1.2, harms: 2 }),
      tally("c", { last_at: noon - 9_999_999 })
    ]
    const usage = usageOf(tallies)
    assert.deepStrictEqual(usageOf([...tallies].reverse()), usage)
    assert.deepInclude(usage, { last_at: noon, used_count: 9, harm_count: 2, harm: 1.2 })
    assert.closeTo(usage?.credit ?? 0, 0.75 + 1 + 2 ** (-9_999_999 / HALF_LIFE_MILLIS), 1e-9)
    assert.isUndefined(usageOf([]))
    const halved = usageShare({ credit: 4, harm: 0, last_at: noon }, noon + HALF_LIFE_MILLIS)
    assert.closeTo(halved, usageShare({ credit: 2, harm: 0, last_at: noon }, noon), 1e-9)
  })

  it("of one caller who votes a thousand days brings no more than half of what use can bring", () => {
    const alone = usageOf([tally("a", { credit: 43, uses: 100_000 })])
    assert.strictEqual(alone?.credit, ALONE)
    assert.closeTo(usageShare({ credit: alone?.credit ?? 0, harm: 0, last_at: noon }, noon), 0.5, 1e-9)
    // And against many it has no weight of its own: what five say stands, whatever one says against it.
    const five = ["a", "b", "c", "d", "e"].map((caller) => tally(caller))
    const opposed = usageOf([...five, tally("eve", { credit: 0, harm: 43 })])
    assert.isAbove((opposed?.credit ?? 0) - (opposed?.harm ?? 0), 0)
  })
})
