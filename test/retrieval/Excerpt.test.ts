import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { bestPart } from "../../src/retrieval/Excerpt.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"

const filler = "The boats lie in the harbour and wait for wind. ".repeat(20)

describe("bestPart", () => {
  it("a short text is shown whole", () => {
    assert.strictEqual(bestPart("Mira likes tea. ", termGroups("tea"), [1], 100), "Mira likes tea. ")
  })

  it("the part with the question's words is shown, not the beginning", () => {
    const text = `${filler}The invoice of Birch Ltd is due on 14 March. ${filler}`
    const part = bestPart(text, termGroups("when is the Birch invoice due"), [1, 1, 1], 120)
    assert.include(part, "The invoice of Birch Ltd is due on 14 March.")
    assert.isAtMost(part.length, 120)
  })

  it("a rare word decides between two places", () => {
    const text = `An invoice came. ${filler}Birch Ltd is closed. ${filler}`
    const terms = termGroups("birch invoice")
    assert.include(bestPart(text, terms, [5, 1], 80), "Birch")
    assert.include(bestPart(text, terms, [1, 5], 80), "invoice")
  })

  it("without a match the beginning is shown", () => {
    assert.isTrue(filler.startsWith(bestPart(filler, termGroups("zebra"), [1], 60)))
    assert.isTrue(filler.startsWith(bestPart(filler, [], [], 60)))
  })

  it("it begins with the line, so that the speaker and the date stay", () => {
    const talk = (name: string) => `[8 May 2023] ${name}: It rains here. Nothing is new. We wait.\n`
    const said = "[9 May 2023] Mira: It was a long day. Then the kiln cracked in two places."
    const text = `${talk("Ada").repeat(8)}${said}\n${talk("Bela").repeat(8)}`
    const part = bestPart(text, termGroups("what cracked the kiln"), [1, 1], 180)
    assert.include(part, said)
    assert.isTrue(part.startsWith("["), part)
  })

  it("words close together weigh more than the first place that has one, and what follows is shown", () => {
    const text = `The kiln is old. ${filler}The kiln broke. The kiln cost 300 euros. It was paid in May. ${filler}`
    const part = bestPart(text, termGroups("kiln"), [1], 140)
    assert.include(part, "The kiln broke. The kiln cost 300 euros.")
    assert.include(part, "It was paid in May.")
  })

  it("a part is always a verbatim part within the limit, and cuts no character in two", () => {
    const text = FastCheck.string({ unit: "grapheme", minLength: 0, maxLength: 400 })
    FastCheck.assert(
      FastCheck.property(text, text, FastCheck.integer({ min: 20, max: 200 }), (text, question, limit) => {
        const terms = termGroups(question)
        const part = bestPart(text, terms, terms.map(() => 1), limit)
        assert.isTrue(text.includes(part))
        assert.isAtMost(part.length, limit)
        assert.isTrue(part.isWellFormed() || !text.isWellFormed())
      })
    )
  })
})
