import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { merge, split } from "../../src/retrieval/SearchMerge.ts"

const lists = fc.array(
  fc.array(fc.record({ score: fc.integer({ min: 0, max: 9 }), id: fc.uuid() }), { maxLength: 8 }),
  {
    maxLength: 5
  }
)

describe("SearchMerge", () => {
  it("keeps each list's own order, draws each once, and gives lists of falling scores as one", () => {
    fc.assert(fc.property(lists, fc.boolean(), (given, sorted) => {
      const all = sorted ? given.map((list) => [...list].sort((a, b) => b.score - a.score)) : given
      const drawn = merge(all, Infinity)
      assert.deepStrictEqual(split(drawn, all.length), all)
      if (sorted) {
        const expected = all.flatMap((list, at) => list.map((one) => ({ at, one })))
          .sort((a, b) => b.one.score - a.one.score || a.at - b.at)
        assert.deepStrictEqual(drawn, expected)
      }
    }))
  })

  it("ends at the most asked for, with what would have stood first anyway", () => {
    fc.assert(fc.property(lists, fc.nat(20), (given, most) => {
      assert.deepStrictEqual(merge(given, most), merge(given, Infinity).slice(0, most))
    }))
  })
})
