import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { K1, share, weight } from "../../src/platform/Bm25.ts"

const corpus = FastCheck.record({
  rows: FastCheck.nat(100_000),
  meanLength: FastCheck.double({ min: 0, max: 500, noNaN: true }),
  holding: FastCheck.array(FastCheck.nat(100_000), { maxLength: 8 })
})
const terms = FastCheck.record({
  counts: FastCheck.array(FastCheck.nat(50), { maxLength: 8 }),
  length: FastCheck.nat(2000)
})

describe("Bm25", () => {
  it("a share is finite, not negative and below 1, whatever the counts", () => {
    FastCheck.assert(FastCheck.property(corpus, terms, (corpus, terms) => {
      const value = share(corpus, terms)
      assert.isTrue(Number.isFinite(value) && value >= 0 && value < 1)
    }))
  })

  it("one more of a word never lowers a share, and a longer text never raises it", () => {
    FastCheck.assert(FastCheck.property(corpus, terms, FastCheck.nat(7), (corpus, terms, at) => {
      const more = terms.counts.map((count, index) => index === at ? count + 1 : count)
      assert.isAtLeast(share(corpus, { ...terms, counts: more }), share(corpus, terms))
      assert.isAtMost(share(corpus, { ...terms, length: terms.length + 10 }), share(corpus, terms))
    }))
  })

  it("a rare word weighs more than a common one", () => {
    assert.isAbove(weight(1000, 1), weight(1000, 500))
    assert.isAbove(weight(1000, 1000), 0)
    assert.isAbove(weight(10, 20), 0)
  })

  it("the textbook figures", () => {
    // ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) and a text of mean length with the word once: 1 * (K1 + 1) / (1 + K1) of K1 + 1.
    assert.closeTo(weight(10, 2), Math.log(4.4), 1e-12)
    assert.closeTo(share({ rows: 10, meanLength: 20, holding: [2] }, { counts: [1], length: 20 }), 1 / (1 + K1), 1e-12)
    assert.strictEqual(share({ rows: 10, meanLength: 20, holding: [] }, { counts: [], length: 20 }), 0)
  })
})
