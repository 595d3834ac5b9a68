import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { chunks, excerpt } from "../../src/platform/Analyzer.ts"

const wholePairs = (text: string) => text.isWellFormed()
const texts = FastCheck.stringOf(
  FastCheck.constantFrom("word ", "a", "é", "e\u0301", "🙂", "。", ". ", "\n", "\n\n", " ", "👩‍💻", "longer-word"),
  { maxLength: 400 }
)

describe("excerpt", () => {
  it("is a prefix of at most the given length", () => {
    FastCheck.assert(FastCheck.property(texts, FastCheck.nat(60), (text, max) => {
      const cut = excerpt(text, max)
      assert.isAtMost(cut.length, max)
      assert.isTrue(text.startsWith(cut))
      assert.isTrue(wholePairs(cut))
      if (text.length <= max) assert.strictEqual(cut, text)
    }))
  })
  it("ends between words where it can", () => {
    assert.strictEqual(excerpt("one two three", 9), "one two ")
    assert.strictEqual(excerpt("one two three", 7), "one two")
    assert.strictEqual(excerpt("x".repeat(2000)).length, 1200)
    assert.strictEqual(excerpt("🙂".repeat(10), 5), "🙂🙂")
  })
})

describe("chunks", () => {
  it("covers the text verbatim, in order, without cutting characters", () => {
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.integer({ min: 16, max: 200 }), FastCheck.nat(120), (text, size, overlap) => {
        const pieces = chunks(text, { size, overlap })
        let covered = 0
        let start = -1
        for (const piece of pieces) {
          assert.strictEqual(piece.text, text.slice(piece.start, piece.end))
          assert.isAtMost(piece.text.length, size)
          assert.isAbove(piece.start, start)
          assert.isAtMost(piece.start, covered)
          assert.isAbove(piece.end, covered)
          assert.isTrue(wholePairs(piece.text))
          start = piece.start
          covered = piece.end
        }
        assert.strictEqual(covered, text.length)
      }),
      { numRuns: 1000 }
    )
  })

  it("prefers the end of a paragraph, then of a sentence, then of a word", () => {
    const filler = "word ".repeat(12)
    const [paragraph] = chunks(`${filler}end.\n\nNext one. ${filler}${filler}`, { size: 100, overlap: 0 })
    assert.isTrue(paragraph?.text.endsWith("end.\n\n"))
    const [sentence] = chunks(`${filler}end. Next ${filler}${filler}`, { size: 100, overlap: 0 })
    assert.isTrue(sentence?.text.endsWith("end. "))
    const [wordEnd] = chunks(`${filler}${filler}${filler}`, { size: 98, overlap: 0 })
    assert.isTrue(wordEnd?.text.endsWith("word "))
  })

  it("overlaps by about what was asked, from the start of a word", () => {
    const [first, second] = chunks("abcdefghi ".repeat(300))
    assert.isDefined(first)
    assert.isDefined(second)
    assert.strictEqual(first!.end - second!.start, 100)
    assert.isTrue(second!.text.startsWith("abc"))
  })

  it("has no piece of an empty text and one of a short text", () => {
    assert.deepStrictEqual(chunks(""), [])
    assert.deepStrictEqual(chunks("short"), [{ start: 0, end: 5, text: "short" }])
  })

  it("takes linear time on a megabyte of one character", () => {
    for (const sign of ["a", "\n", " ", "\u0301", "🙂", ". "]) {
      const start = process.cpuUsage()
      assert.isAtLeast(chunks(sign.repeat(1_000_000 / sign.length)).length, 1000)
      assert.isBelow(process.cpuUsage(start).user / 1000, 5_000, JSON.stringify(sign))
    }
  })
})
