import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { nearness, readTime } from "../../src/retrieval/QuestionTime.ts"

const named = (text: string) => readTime(text).named.map(({ day, month, year }) => [year, month, day])
const at = (text: string) => Date.parse(text)

describe("QuestionTime", () => {
  it("reads days, months and years as people write them", () => {
    assert.deepStrictEqual(named("What happened on 3 June, 2023?"), [[2023, 6, 3]])
    assert.deepStrictEqual(named("on June 3rd 2023 and on 2024-02-01"), [[2024, 2, 1], [2023, 6, 3]])
    assert.deepStrictEqual(named("in the second week of November"), [[null, 11, null]])
    assert.deepStrictEqual(named("the 5th of March"), [[null, 3, 5]])
    assert.deepStrictEqual(named("in May 2022, or during 2023"), [[2022, 5, null], [2023, null, null]])
  })

  it("takes no word and no number for a time that is none", () => {
    assert.deepStrictEqual(named("may I march to port 7777 with 12 men and version 1.2022.3?"), [])
    assert.deepStrictEqual(named("on 2023-17-45"), [])
    assert.deepStrictEqual(named(""), [])
  })

  it("knows what asks for the present", () => {
    assert.isTrue(readTime("Where does Mira live now?").asksNow)
    assert.isTrue(readTime("the latest release").asksNow)
    assert.isFalse(readTime("Where did Mira know Otto from?").asksNow)
  })

  it("a time inside a named one is nearest, and each week outside halves it", () => {
    const june = readTime("in June 2023")
    assert.strictEqual(nearness(june, at("2023-06-30T23:00:00Z")), 1)
    assert.closeTo(nearness(june, at("2023-07-08T00:00:00Z")), 0.5, 1e-9)
    assert.closeTo(nearness(june, at("2023-05-25T00:00:00Z")), 0.5, 1e-9)
    assert.isBelow(nearness(june, at("2024-06-15T00:00:00Z")), 1e-9)
    assert.strictEqual(nearness(readTime("in June"), at("2024-06-15T00:00:00Z")), 1)
    assert.closeTo(nearness(readTime("on 1 January"), at("2023-12-25T00:00:00Z")), 0.5, 1e-9)
    assert.strictEqual(nearness(readTime("tea"), at("2024-06-15T00:00:00Z")), 0)
  })

  it("is between 0 and 1 for any text and time, and ends soon on long ones", () => {
    // The years that a stored time may have.
    const instant = FastCheck.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T00:00:00Z") })
    FastCheck.assert(FastCheck.property(FastCheck.string({ maxLength: 200 }), instant, (text, date) => {
      const value = nearness(readTime(`${text} 3 June`), date.getTime())
      assert.isTrue(value >= 0 && value <= 1)
    }))
    assert.isAtMost(readTime("3 June 2023 ".repeat(100_000)).named.length, 8)
  })
})
