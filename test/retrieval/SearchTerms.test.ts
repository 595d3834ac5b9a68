import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { indexTerms } from "../../src/platform/Analyzer.ts"
import { countsOfWords, termGroups } from "../../src/retrieval/SearchTerms.ts"

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

describe("countsOfWords", () => {
  const holds = (question: string, text: string): boolean => {
    const terms = termGroups(question)
    const held = new Set(indexTerms(text).stems)
    return countsOfWords(terms, terms.map(({ stem }) => held.has(stem) ? 2 : 0)).some((count) => count > 0)
  }

  it("a Korean or Katakana word is found as a word, not by a pair of its letters", () => {
    for (
      const [question, text, isHeld] of [
        ["비행기", "비행기가 늦었다", true],
        ["비행기는 언제", "비행기를 탔다", true],
        ["비행기는 언제", "비행장과 고기는", false],
        ["고양이", "고양시", false],
        ["고양이가 자나", "고양시", false],
        ["서울에서", "서울의 지하철", true],
        ["서울에서", "부산에서", false],
        ["서버가 느린가", "서버는 세 대다", true],
        ["검색", "검색엔진을 쓴다", true],
        ["검색엔진", "검색 엔진", true],
        ["좋습니다", "높습니다", false],
        ["タワー", "パワー", false],
        ["タワー", "東京タワー", true],
        ["データベース", "データベースは", true],
        ["シャワー", "タワー", false],
        ["多租户", "租户", true],
        ["こたつ", "こたえ", true],
        ["tower", "tower", true]
      ] as const
    ) {
      assert.strictEqual(holds(question, text), isHeld, `${question} in ${text}`)
    }
  })

  it("leaves a question without such words as it is", () => {
    const terms = termGroups("green tea")
    assert.deepStrictEqual(countsOfWords(terms, [3, 0]), [3, 0])
  })
})
