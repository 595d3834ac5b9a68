import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"

const identifiers = (text: string) => termGroups(text).filter(({ identifier }) => identifier).map(({ stem }) => stem)

describe("termGroups", () => {
  it("a word is its stem and its dictionary forms, once", () => {
    assert.deepStrictEqual(
      termGroups("Where did she go? Went, gone, GO!").map(({ stem }) => stem),
      ["she", "go", "went", "gone"].filter((word) => word !== "she")
    )
    assert.deepStrictEqual(termGroups("went")[0]?.lemmas, ["go"])
    assert.deepStrictEqual(termGroups("studies"), termGroups("studies studied").slice(0, 1))
  })

  it("words without meaning count only when there is nothing else", () => {
    assert.deepStrictEqual(termGroups("The Who").map(({ stem }) => stem), ["the", "who"])
    assert.deepStrictEqual(termGroups("the lamp of the house").map(({ stem }) => stem), ["lamp", "hous"])
    assert.deepStrictEqual(termGroups("!!! …"), [])
  })

  it("knows identifiers from numbers, times and plain words", () => {
    assert.deepStrictEqual(identifiers("v1.9"), ["v1.9"])
    assert.include(identifiers("why ERR_7731 happens"), "err_7731")
    assert.include(identifiers("commit 9f3c2ab7d41e"), "9f3c2ab7d41e")
    assert.include(identifiers("set max_retry_count"), "max_retry_count")
    assert.include(identifiers("ticket LOOM-42"), "loom-42")
    assert.deepStrictEqual(
      identifiers("on 7 May 2023 at 10am, 2nd floor, 27:10, 1,200 people and 5 self-made well-known cakes"),
      []
    )
  })

  it("a long text gives its most telling words, in order, and always few", () => {
    FastCheck.assert(FastCheck.property(FastCheck.lorem({ maxCount: 300 }), (text) => {
      const groups = termGroups(`${text} ERR_7731`)
      assert.isAtMost(groups.length, 32)
      assert.isTrue(groups.some(({ stem }) => stem === "err_7731"))
    }))
  })
})
