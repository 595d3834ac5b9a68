import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { rarity } from "../../src/platform/WordRarity.ts"

describe("WordRarity", () => {
  it("puts words in the order in which people use them", () => {
    const words = ["the", "year", "book", "activity", "database", "camping", "kubernetes"]
    words.slice(1).forEach((word, at) => assert.isAbove(rarity(word), rarity(words[at] ?? ""), word))
    assert.strictEqual(rarity("kubernetes"), 1)
  })

  it("is between 0 and 1 for any word, soon told for long ones, and 1 for what is in no table", () => {
    FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "grapheme" }), (word) => {
      const value = rarity(word)
      assert.isTrue(value >= 0 && value <= 1)
    }))
    assert.strictEqual(rarity("a".repeat(100_000)), 1)
    assert.strictEqual(rarity("東京"), 1)
  })
})
