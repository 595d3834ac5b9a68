import { assert, describe, it } from "@effect/vitest"
import { faultsOf } from "../../bench/ExtractEvidence.ts"
import { sampleOf } from "../../bench/ExtractReport.ts"

const time = Date.parse("2023-05-24T14:30:00Z")
const turn = (text: string, speaker = "Nadia") => ({ text, speaker, time })
const fact = (text: string, fields = {}) => ({ text, subject: "Nadia", about_other: false, ...fields })

describe("the judge of extracted evidence", () => {
  it("finds what a turn does not bear", () => {
    const said = [turn("I flew to Oslo last week with my 2 dogs")]
    assert.deepStrictEqual(faultsOf(fact("Nadia flew to Oslo in the week of 2023-05-15."), said), [])
    assert.deepStrictEqual(faultsOf(fact("Nadia flew to Bergen in the week of 2023-05-15."), said), ["words"])
    assert.deepStrictEqual(faultsOf(fact("Nadia flew to Oslo with Nadia's 3 dogs."), said), ["words"])
    assert.deepStrictEqual(faultsOf(fact("Nadia flew to Oslo on 2023-03-01."), said), ["date"])
    assert.deepStrictEqual(faultsOf(fact("Nadia flew to Oslo."), []), ["no-turn"])
  })

  it("holds a fact to its speaker", () => {
    const said = [turn("I live in Oslo", "Otto")]
    assert.deepStrictEqual(faultsOf(fact("Nadia lives in Oslo."), said), ["speaker"])
    assert.deepStrictEqual(faultsOf(fact("Nadia lives in Oslo.", { about_other: true }), said), [])
  })

  it("takes an even sample", () => {
    assert.deepStrictEqual(sampleOf([1, 2, 3], 5), [1, 2, 3])
    assert.lengthOf(sampleOf(Array.from({ length: 97 }, (_, at) => at), 20), 20)
  })
})
