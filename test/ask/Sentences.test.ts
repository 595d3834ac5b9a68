import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { bodyOf, sentencesOf, spansOf, speakerOf } from "../../src/ask/Sentences.ts"
import { evidence } from "./AskFixture.ts"

const cut = (text: string) => spansOf(text).map(({ end, start }) => text.slice(start, end))

describe("Sentences", () => {
  it("end with their sign or their line", () => {
    assert.deepStrictEqual(cut("He came. She left! Did it rain?  Yes…\nA new line\n\n"), [
      "He came.",
      "She left!",
      "Did it rain?",
      "Yes…",
      "A new line"
    ])
    assert.deepStrictEqual(cut("今天天气很好。明天下雨。"), ["今天天气很好。", "明天下雨。"])
    assert.deepStrictEqual(cut(""), [])
  })

  it("go on behind abbreviations, initials, numbers and before small letters", () => {
    for (
      const one of [
        "Dr. Weber moved to St. Gallen with J. R. Tolkien.",
        "Version 1.9 ships at 4 p.m. on Friday.",
        "It runs on node.js v20.1 and costs 3.50 EUR.",
        "Use a tool, e.g. a saw, and wait."
      ]
    ) assert.deepStrictEqual(cut(one), [one])
  })

  it("are found in one pass over any text", () => {
    // Looked at again from each of its signs, it would take minutes.
    assert.lengthOf(cut(".".repeat(300_000)), 600)
    assert.isAbove(cut("a.'".repeat(100_000)).length, 500)
  })

  it("are whole, in order, apart, and miss nothing but white space, whatever the text", () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 12 }),
        fc.constantFrom(". ", "! ", "\n", "。", "A word ", "e.g. ", "  ")
      ),
      { maxLength: 200 }
    ).map((parts) => parts.join(""))
    fc.assert(fc.property(text, (text) => {
      let at = 0
      for (const { end, start } of spansOf(text)) {
        assert.isAtLeast(start, at)
        assert.isAbove(end, start)
        assert.strictEqual(text.slice(at, start).trim(), "")
        assert.notMatch(text.slice(start, end), /[\n\r]/)
        at = end
      }
      assert.strictEqual(text.slice(at).trim(), "")
    }))
  })

  it("have offsets in the whole value, and a speaker where the memory is a turn", () => {
    const turn = evidence("[8 May 2023] Caroline: I moved. It was hard.", { offset: 100 })
    const [first, second] = sentencesOf(turn)
    assert.deepInclude(first, { start: 100, end: 131, text: "[8 May 2023] Caroline: I moved." })
    assert.deepInclude(second, { start: 132, end: 144, text: "It was hard." })
    assert.deepStrictEqual([first, second].map((one) => speakerOf(one!)), ["Caroline", "Caroline"])
    assert.strictEqual(bodyOf(first!.text), "I moved.")
    const tagged = evidence("I moved.", { head: { tags: ["speaker:Mel B"] } })
    assert.strictEqual(speakerOf(sentencesOf(tagged)[0]!), "Mel B")
    for (const plain of ["Nothing said", "the port: 8080", "One two three four five: six"]) {
      assert.isNull(speakerOf(sentencesOf(evidence(plain))[0]!), plain)
    }
  })
})
