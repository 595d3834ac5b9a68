import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { excerptOf, MARK } from "../../src/retrieval/Excerpt.ts"
import { joined } from "../../src/retrieval/ExcerptPieces.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"

const filler = "The boats lie in the harbour and wait for wind. ".repeat(20)
const partOf = (text: string, question: string, limit: number) =>
  excerptOf([{ start: 0, text }], termGroups(question), limit).text

describe("excerptOf", () => {
  it("a short text is shown whole", () => {
    assert.deepStrictEqual(excerptOf([{ start: 0, text: "Mira likes tea. " }], termGroups("tea"), 100), {
      text: "Mira likes tea. ",
      parts: [{ start: 0, end: 16 }]
    })
    assert.deepStrictEqual(excerptOf([], termGroups("tea"), 100), { text: "", parts: [] })
  })

  it("the part with the question's words is shown, not the beginning", () => {
    const part = partOf(
      `${filler}The invoice of Birch is due on 14 March. ${filler}`,
      "when is the Birch invoice due",
      120
    )
    assert.include(part, "The invoice of Birch is due on 14 March.")
    assert.isAtMost(part.length, 120)
  })

  it("several places are shown with a mark between them, in the order of the text", () => {
    const text = `The kiln is old. ${filler}The kiln cracked in May. ${filler}The kiln was paid by Ada. ${filler}`
    const { parts, text: part } = excerptOf([{ start: 0, text }], termGroups("kiln"), 150)
    assert.include(part, "The kiln is old.")
    assert.include(part, "The kiln cracked in May.")
    assert.include(part, "The kiln was paid by Ada.")
    assert.strictEqual(part, parts.map(({ end, start }) => text.slice(start, end)).join(MARK))
    assert.isAbove(parts.length, 2)
  })

  it("without a match the beginning is shown, in one part", () => {
    assert.isTrue(filler.startsWith(partOf(filler, "zebra", 60)))
    assert.isTrue(filler.startsWith(partOf(filler, "", 60)))
    assert.isAbove(partOf(filler, "zebra", 60).length, 40)
  })

  it("who speaks and when is shown with what is said, wherever in the line it stands", () => {
    const talk = (name: string) => `[8 May 2023] ${name}: It rains here. Nothing is new. We wait.\n`
    const said = "[9 May 2023] Mira: It was a long day. Then the kiln cracked in two places."
    const text = `${talk("Ada").repeat(8)}${said}\n${talk("Bela").repeat(8)}`
    const part = partOf(text, "what cracked the kiln", 85)
    assert.include(part, "[9 May 2023] Mira:")
    assert.include(part, "Then the kiln cracked in two places.")
  })

  it("an answer that shares no word with the question is shown after the line that asks", () => {
    const noise = "Ada: The weather was fine and we went for a walk by the river again today.\n".repeat(9)
    const text = `${noise}Ada: Which instrument did you pick?\nMira: An old cello, from my aunt.\n${noise}`
    assert.include(partOf(text, "what instrument did Mira pick", 130), "An old cello, from my aunt.")
    const line = "Ada: The walk went on. Mira: said little.\n"
    assert.include(partOf(`${line.repeat(9)}Mira: It is blue.\n${line.repeat(9)}`, "Mira", 60), "Mira: It is blue.")
  })

  it("every part is verbatim, all together keep the limit, and no character is cut in two", () => {
    const text = FastCheck.string({
      unit: FastCheck.oneof(
        FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
        FastCheck.constantFrom(". ", "\n", " a ", "a: ")
      ),
      minLength: 0,
      maxLength: 300
    })
    FastCheck.assert(
      FastCheck.property(text, text, FastCheck.integer({ min: 20, max: 200 }), (text, question, limit) => {
        const { parts, text: part } = excerptOf([{ start: 7, text }], termGroups(question), limit)
        assert.strictEqual(part, parts.map(({ end, start }) => text.slice(start - 7, end - 7)).join(MARK))
        assert.isAtMost(part.length, limit)
        assert.isTrue(part.isWellFormed() || !text.isWellFormed())
        parts.slice(1).forEach(({ start }, at) => assert.isAtLeast(start, parts[at]?.end ?? 0))
      })
    )
  })

  it("passages that overlap are one run again, and a gap stays one", () => {
    const text = "abcdefghij"
    const passage = (start: number, end: number) => ({ start, text: text.slice(start, end) })
    assert.deepStrictEqual(joined([passage(3, 8), passage(0, 5)]), [passage(0, 8)])
    assert.deepStrictEqual(joined([passage(6, 9), passage(0, 4), passage(1, 3)]), [passage(0, 4), passage(6, 9)])
  })
})
