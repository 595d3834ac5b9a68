import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { DEFAULT_TRUST, priors, usageShare } from "../../src/retrieval/Priors.ts"
import { readTime } from "../../src/retrieval/QuestionTime.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import { noon, rowOf } from "../memory/MemoryFixture.ts"

const month = 30 * 86_400_000
const row = (changed: Parameters<typeof rowOf>[1]) =>
  rowOf({ org: "acme", namespace: "priors" }, {
    source_class: "observed",
    confidence: 1,
    created_at: noon,
    valid_at: null,
    ...changed
  })
const asked = { time: readTime("tea"), now: noon, trust: DEFAULT_TRUST }

describe("Priors", () => {
  it("each part is what it is said to be", () => {
    const none = { fullness: 0, recency: 0, confidence: 0, trust: 0, usage: 0, sensitivity: 0 }
    const of = (changed: Parameters<typeof row>[0], words: number | null = 0, question = "tea") =>
      priors(row(changed), words, 10, { ...asked, time: readTime(question) })
    assert.deepStrictEqual(of({}), none)
    assert.deepStrictEqual(of({}, null), none)
    assert.deepStrictEqual(of({}, 64), { ...none, fullness: 0.12 })
    assert.deepStrictEqual(of({}, 64_000), { ...none, fullness: 0.12 })
    assert.deepStrictEqual(of({ confidence: 0.5 }), { ...none, confidence: -0.025 })
    assert.deepStrictEqual(of({ sensitivity: "medium" }), { ...none, sensitivity: -0.05 })
    assert.deepStrictEqual(of({ source_class: "imported" }), { ...none, trust: -DEFAULT_TRUST })
    assert.deepStrictEqual(of({}, 0, "tea now"), { ...none, recency: 0.1 })
    assert.deepStrictEqual(of({ valid_at: noon - month }, 0, "tea now"), { ...none, recency: 0.05 })
  })

  it("together they are at most half of the match", () => {
    const parts = priors(row({ source_class: "asserted" }), 64, 0.1, { ...asked, time: readTime("tea now") })
    assert.closeTo(Object.values(parts).reduce((sum, part) => sum + part, 0), 0.05, 1e-5)
    assert.deepStrictEqual(Object.values(priors(row({ confidence: 0 }), 64, 0, asked)), [0, 0, 0, 0, 0, 0])
  })

  it("use counts less the longer ago it was, harm takes it away, and no number of uses is worth more than one", () => {
    assert.closeTo(usageShare({ credit: 2, harm: 0, last_at: noon }, noon), 0.5, 1e-9)
    assert.closeTo(usageShare({ credit: 4, harm: 0, last_at: noon - month }, noon), 0.5, 1e-9)
    assert.strictEqual(usageShare({ credit: 2, harm: 5, last_at: noon }, noon), 0)
    assert.isBelow(usageShare({ credit: 1e9, harm: 0, last_at: noon }, noon), 1)
  })

  it.effect("the weight of trust is a setting within bounds", () =>
    Effect.gen(function*() {
      const read = (text?: string) =>
        Effect.withConfigProvider(
          RankPolicy.setting,
          ConfigProvider.fromMap(new Map(text === undefined ? [] : [["LOOM_MEMORY_SEARCH_TRUST_WEIGHT", text]]), {
            pathDelim: "_"
          })
        )
      assert.strictEqual(yield* read(), DEFAULT_TRUST)
      assert.strictEqual(yield* read("0"), 0)
      for (const wrong of ["0.5", "-1", "much"]) {
        assert.include(String(yield* Effect.flip(read(wrong))), "TRUST_WEIGHT", wrong)
      }
    }))
})
