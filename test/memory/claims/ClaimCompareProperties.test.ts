/** What holds of any two texts: reflexive, symmetric, total, linear, and never "same" over a value that differs. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { compareClaims, parseClaim } from "../../../src/memory/claims/ClaimCompare.ts"
import { conflicting, same } from "./ClaimPairs.ts"

const relation = (stored: string, written: string, similarity = 0.85) =>
  compareClaims(parseClaim(stored), parseClaim(written), similarity).relation

const text = FastCheck.string({ unit: "binary", maxLength: 400 })

// Words that make texts with grammar in them, so that more than the fallbacks is tried.
const word = FastCheck.constantFrom(
  ..."the a user Anna Bob server lives works is has not never in at to from Berlin Paris 3 15 17:00 5 pm May Monday $20 with and or kg , . all only"
    .split(" ")
)
const sentence = FastCheck.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(" "))

describe("ClaimCompare, for all texts", () => {
  it("a text is the same as itself", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(sentence, text.filter((any) => /[\p{L}\p{N}]/u.test(any))), (any) => {
        assert.strictEqual(relation(any, any), "same")
      })
    )
  })

  it("answers for any two texts", () => {
    FastCheck.assert(FastCheck.property(text, FastCheck.oneof(text, sentence), (one, other) => {
      assert.include(["same", "differs", "unsure", "other"], relation(one, other))
    }))
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", minLength: 2_000, maxLength: 10_000 }), (any) => {
        assert.include(["same", "differs", "unsure", "other"], relation(any, `${any} 7`))
      }),
      { numRuns: 20 }
    )
  })

  it("is never the same when a number differs", () => {
    const number = FastCheck.integer({ min: 0, max: 99_999 })
    const frame = FastCheck.constantFrom(
      "The retry limit is #.",
      "Room # has a projector.",
      "Anna owes Bob # euros.",
      "timeout = #s",
      "Der Zug hat # Wagen.",
      "La salle a # places.",
      "The job runs every # minutes on port 8080.",
      "水箱里有#升水。"
    )
    FastCheck.assert(FastCheck.property(frame, number, number, (claim, one, other) => {
      FastCheck.pre(one !== other)
      assert.notStrictEqual(relation(claim.replace("#", String(one)), claim.replace("#", String(other)), 1), "same")
    }))
  })

  it("is never the same when a word of meaning is added or taken away", () => {
    const claims = Object.values(conflicting).flat().map(([stored]) => stored)
    const added = FastCheck.constantFrom("purple", "Lisbon", "not", "sometimes", "42", "almost")
    FastCheck.assert(FastCheck.property(FastCheck.constantFrom(...claims), added, (claim, extra) => {
      assert.notStrictEqual(relation(claim, claim.replace(/(\S+)$/, `${extra} $1`), 1), "same")
    }))
  })

  it("gives one relation both ways for claims of its tables", () => {
    for (const [stored, written] of [...Object.values(same), ...Object.values(conflicting)].flat()) {
      assert.strictEqual(relation(stored, written), relation(written, stored), `${stored} | ${written}`)
    }
  })

  it("takes time in proportion to the text", () => {
    // Each would take minutes under a quadratic pattern.
    const signs = ["a", "0", ".", "-", "'a", "a=", "[", "会", "a.", "1,", "\"x\" "]
    const started = performance.now()
    for (const sign of signs) {
      const long = sign.repeat(1_000_000 / sign.length)
      relation(long, `${long}x`)
    }
    assert.isBelow(performance.now() - started, 10_000)
  }, 30_000)
})
