import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Gate from "../../src/retrieval/Gate.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"

const share = FastCheck.double({ min: 0, max: 1, noNaN: true })

describe("Gate", () => {
  it("abstains when the highest relevance is below the floor, and then alone", () => {
    FastCheck.assert(FastCheck.property(FastCheck.array(share, { minLength: 1 }), share, (relevances, floor) => {
      const { abstain, confidence } = Gate.judge(floor, relevances, [])
      assert.strictEqual(confidence, Math.max(...relevances))
      assert.strictEqual(abstain === null, relevances.some((relevance) => relevance >= floor))
      if (abstain !== null) assert.strictEqual(abstain.code, "BELOW_THRESHOLD")
      assert.isNull(Gate.judge(null, relevances, []).abstain)
    }))
  })

  it("tells nothing found from nothing relevant, and what did not answer", () => {
    const empty = Gate.judge(0.05, [], ["vector_late"])
    assert.strictEqual(empty.confidence, 0)
    assert.strictEqual(empty.abstain?.code, "NO_MATCH")
    assert.include(empty.abstain?.reason, "vector_late")
    const weak = Gate.judge(0.05, [0.01, 0.02], [])
    assert.strictEqual(
      weak.abstain?.reason,
      "The most relevant memory has a relevance of 0.020, below the 0.05 that an answer needs."
    )
    assert.isNull(Gate.judge(null, [], []).abstain)
  })

  it.effect("the setting is on, off or a floor, and anything else is told by its name", () =>
    Effect.gen(function*() {
      const read = (text?: string) =>
        Effect.withConfigProvider(
          GatePolicy.setting,
          ConfigProvider.fromMap(new Map(text === undefined ? [] : [["LOOM_SEARCH_GATE", text]]), { pathDelim: "_" })
        )
      assert.strictEqual(yield* read(), Gate.DEFAULT_FLOOR)
      assert.strictEqual(yield* read("on"), Gate.DEFAULT_FLOOR)
      assert.isNull(yield* read("off"))
      assert.strictEqual(yield* read("0.4"), 0.4)
      for (const wrong of ["1.5", "-1", "NaN", "often", " "]) {
        assert.include(String(yield* Effect.flip(read(wrong))), "SEARCH_GATE", wrong)
      }
    }))
})
