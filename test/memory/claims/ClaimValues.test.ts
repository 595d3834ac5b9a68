/** Values in other clothes have one key; values that differ have two, in a dimension of their own. */
import { assert, describe, it } from "@effect/vitest"
import type { Language } from "../../../src/memory/claims/ClaimLanguage.ts"
import { tokensOf } from "../../../src/memory/claims/ClaimTokens.ts"
import { valueAt } from "../../../src/memory/claims/ClaimValues.ts"

const keys = (text: string, language: Language = "en"): ReadonlyArray<string> => {
  const tokens = tokensOf(text)
  const found: Array<string> = []
  for (let i = 0; i < tokens.length;) {
    const value = valueAt(tokens, i, language)
    if (value !== undefined) found.push(value.value.key)
    i += value?.length ?? 1
  }
  return found
}

describe("ClaimValues", () => {
  it("folds the ways to write one value", () => {
    const equal: ReadonlyArray<ReadonlyArray<string>> = [
      ["3", "three"],
      ["1,200", "1200", "1.2k", "twelve hundred"],
      ["2 million", "2,000,000", "two million"],
      ["forty-two", "42", "forty two"],
      ["5 pm", "17:00", "5pm", "5:00 p.m.", "five o'clock in the afternoon"],
      ["half past nine", "9:30", "9:30 am"],
      ["quarter to ten", "9:45"],
      ["noon", "12:00", "12 pm"],
      ["3 May 2026", "May 3, 2026", "2026-05-03", "the 3rd of May 2026", "3.5.2026"],
      ["$5", "5 dollars", "USD 5", "5 USD"],
      ["€1250", "1,250 euros", "EUR 1250"],
      ["90 minutes", "1.5 hours", "90min", "an hour and a half"],
      ["1 kg", "1000 g", "1000 grams"],
      ["v2.1.0", "2.1.0"],
      ["10%", "10 percent", "ten percent"],
      ["two weeks", "14 days"],
      ["weekly", "every week", "per week"]
    ]
    for (const [first = "", ...others] of equal) {
      for (const other of others) assert.deepStrictEqual(keys(other), keys(first), `${other} against ${first}`)
      assert.lengthOf(keys(first), 1, first)
    }
  })

  it("keeps apart what is not equal", () => {
    const apart: ReadonlyArray<readonly [string, string]> = [
      ["3.1", "3.10"],
      ["1.5", "15"],
      ["-5", "5"],
      ["5 am", "5 pm"],
      ["27:10", "26:30"],
      ["3/4/2026", "4/3/2026"],
      ["10 kg", "10 lb"],
      ["30 °C", "30 °F"],
      ["$5", "€5"],
      ["5m", "5 minutes"],
      ["1 GB", "1 GiB"],
      ["10.0.0.1", "10.0.0.10"],
      ["9-5", "9-6"]
    ]
    for (const [one, other] of apart) {
      assert.notDeepEqual(keys(one), keys(other), `${one} against ${other}`)
      assert.isNotEmpty(keys(one), one)
    }
  })

  it("counts in other languages", () => {
    assert.deepStrictEqual(keys("dreiundzwanzig", "de"), keys("23", "de"))
    assert.deepStrictEqual(keys("1.250,50 Euro", "de"), keys("1250,50 €", "de"))
    assert.deepStrictEqual(keys("14 Uhr", "de"), keys("14:00", "de"))
    assert.deepStrictEqual(keys("3 de mayo", "es"), keys("3 mayo", "es"))
    assert.deepStrictEqual(keys("quatre", "fr"), keys("4", "fr"))
    assert.deepStrictEqual(keys("下午三点", "zh"), keys("15:00", "zh"))
    assert.deepStrictEqual(keys("二十三", "zh"), keys("23", "zh"))
    assert.deepStrictEqual(keys("5月3日", "ja"), ["date:-05-03"])
  })

  it("leaves words alone that only look like values", () => {
    assert.deepStrictEqual(keys("She may march on"), [])
    assert.deepStrictEqual(keys("I am here"), [])
    assert.deepStrictEqual(keys("hunter2"), [])
    assert.deepStrictEqual(keys("We watched Seven"), [])
  })
})
