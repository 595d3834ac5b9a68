import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { pieces } from "../../src/platform/Tokens.ts"
import { counter } from "../context/ForFileFixture.ts"

const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

describe("Tokens", () => {
  it.effect("counts prose, code and special tokens as o200k does", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const prose = "Billing deploys only on Tuesdays and Thursdays, never on Fridays. ".repeat(40)
      for (const text of ["", "a", prose, "<|endoftext|>", "const a = b ? c : d\n", "日本語のテキスト", "🙂👩‍💻"]) {
        assert.strictEqual(count(text), exact(text))
      }
    }))

  it("cuts a text into pieces that are the text, and no character in two", () => {
    FastCheck.assert(FastCheck.property(FastCheck.string({ maxLength: 1_500, unit: "grapheme" }), (text) => {
      const parts = pieces(text)
      assert.strictEqual(parts.join(""), text)
      assert.isTrue(parts.every((part) => part.isWellFormed() && part.length <= 256))
    }))
  })

  it("cuts no pair of surrogates", () => {
    const text = `a${"🙂".repeat(400)}`
    assert.strictEqual(pieces(text).join(""), text)
    assert.isTrue(pieces(text).every((part) => part.isWellFormed()))
  })

  it.effect("counts a long run of one piece in time, and little above what it is", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const run = "日本語".repeat(3_000)
      const began = performance.now()
      assert.isAtLeast(count(run), 6_000)
      // In one piece it takes over a second.
      assert.isBelow(performance.now() - began, 1_000)
      assert.isAtMost(count(run), 6_000 * 1.05)
    }))

  it.effect("stops once there are more than were asked for", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const text = "one two three four ".repeat(500)
      assert.isAbove(count(text, 10), 10)
      assert.isBelow(count(text, 10), 200)
    }))
})
