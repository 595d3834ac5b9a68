import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { behind, merge, split } from "../../src/retrieval/SearchMerge.ts"

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

  it("puts each behind the one it names, and loses none", () => {
    const order = (names: Record<string, string>, given: string) =>
      behind([...given], (one) => one, (one) => names[one]).join("")
    assert.strictEqual(order({}, "abcd"), "abcd")
    assert.strictEqual(order({ a: "c" }, "abcd"), "bcad")
    assert.strictEqual(order({ a: "b", b: "d" }, "abcd"), "cdba")
    assert.strictEqual(order({ d: "a" }, "abcd"), "abcd")
    assert.strictEqual(order({ a: "x" }, "abcd"), "abcd")
    assert.strictEqual(order({ a: "b", b: "a" }, "abcd").length, 4)
    fc.assert(fc.property(fc.array(fc.nat(9)), fc.array(fc.nat(9)), (given, names) => {
      const some = [...new Set(given)]
      const moved = behind(some, String, (one) => names[one]?.toString())
      assert.deepStrictEqual([...moved].sort(), [...some].sort())
    }))
  })
})
