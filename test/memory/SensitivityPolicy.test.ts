import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import type { Json } from "../../src/kernel/Json.ts"
import { passesLuhn } from "../../src/memory/PersonalNumbers.ts"
import * as Policy from "../../src/memory/SensitivityPolicy.ts"
import { claimText } from "../../src/memory/SensitivityText.ts"
import { cases } from "./SensitivityCases.ts"
import { hostileValues } from "./SensitivityHostile.ts"

const judge = (value: Json, memory_key = "note") => Policy.judgeText(claimText(memory_key, value))

describe("SensitivityPolicy", () => {
  it("labels each value of the table", () => {
    assert.isAtLeast(cases.length, 500)
    const wrong = cases.flatMap(({ label, memory_key, value }) => {
      const found = judge(value, memory_key)
      return found.sensitivity === label ? [] : [`${JSON.stringify(value)}: ${found.sensitivity} ${found.kind}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("finds the same inside a longer text, at its start, in its middle and at its end", () => {
    const filler = "The billing team met on Tuesday and agreed on the plan for the quarter.\n"
    const wrong = cases.flatMap(({ label, memory_key, value }) =>
      typeof value !== "string" || memory_key !== undefined ? [] : [
        `${value}\n${filler}`,
        `${filler.repeat(40)}${value}\n${filler}`,
        `${filler}${value}`
      ].flatMap((text) => judge(text).sensitivity === label ? [] : [`${label}: ${JSON.stringify(value)}`])
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("finds the same in members of records and lists", () => {
    const wrong = cases.flatMap(({ label, memory_key, value }) =>
      typeof value !== "string" || memory_key !== undefined ? [] : [
        { kind: "note", body: { lines: ["Agreed on Tuesday", value] } },
        [value, "Agreed on Tuesday"]
      ].flatMap((json) => judge(json).sensitivity === label ? [] : [`${label}: ${JSON.stringify(value)}`])
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("says a kind that holds nothing of the value", () => {
    for (const { value, memory_key } of cases) {
      const { kind } = judge(value, memory_key)
      assert.match(kind, /^(?:$|an? [A-Za-z0-9 ]{2,40}$)/)
      if (typeof value === "string" && kind !== "") assert.notInclude(kind, value)
    }
  })

  it("takes no digits that fail Luhn for a card", () => {
    const digits = FastCheck.stringOf(FastCheck.constantFrom(..."0123456789"), { minLength: 12, maxLength: 20 })
    FastCheck.assert(
      FastCheck.property(digits, FastCheck.constantFrom("", " ", "-"), (text, separator) => {
        // After a space, what follows the sixteenth digit is the card's code or year.
        FastCheck.pre(!passesLuhn(text) && (separator !== " " || !passesLuhn(text.slice(0, 16))))
        const grouped = text.replace(/(\d{4})(?=\d)/g, `$1${separator}`)
        assert.notStrictEqual(judge(`paid with ${grouped} today`).kind, "a payment card number")
      }),
      { numRuns: 2_000 }
    )
  })

  it("takes every number of a scheme with its check digit for a card", () => {
    const digit = FastCheck.stringOf(FastCheck.constantFrom(..."0123456789"), { minLength: 11, maxLength: 11 })
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom("4539", "5412", "2231", "6011"), digit, (prefix, rest) => {
        const body = prefix + rest
        const number = [..."0123456789"].map((check) => body + check).find(passesLuhn) ?? ""
        assert.strictEqual(judge(`paid with ${number} today`).kind, "a payment card number")
        const grouped = number.replace(/(\d{4})(?=\d)/g, "$1-")
        assert.strictEqual(judge({ card: { number: grouped } }).kind, "a payment card number")
      }),
      { numRuns: 500 }
    )
  })

  it("is total on any text, key and JSON value", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string16bits({ maxLength: 200 }), FastCheck.jsonValue(), (key, value) => {
        const json: Json = JSON.parse(JSON.stringify(value))
        assert.include(["none", "medium", "high"], judge(json, key).sensitivity)
        assert.include(["none", "medium", "high"], judge(key, key).sensitivity)
      }),
      { numRuns: 1_000 }
    )
  })

  const millisOf = (value: Json): number => {
    const before = process.cpuUsage()
    judge(value)
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  it("judges sixteen times the hostile text in about sixteen times the time", () => {
    const small = hostileValues(32 * 1024)
    const slow = [...hostileValues(512 * 1024)].flatMap(([name, value]) => {
      // What is quadratic takes 256 times; four times sixteen leaves room for the collector and other work. A text that
      // is over in the 2 ms that one collection may take has no rate of its own.
      const growth = (): number => millisOf(value) / Math.max(2, millisOf(small.get(name) ?? ""))
      // Once more where other work on the machine came in between.
      const first = growth()
      const times = first < 64 ? first : Math.min(growth(), growth())
      return times < 64 ? [] : [`${name}: ${Math.round(times)} times`]
    })
    assert.deepStrictEqual(slow, [])
  }, 120_000)

  const classified = (setting: ReadonlyArray<readonly [string, string]>) =>
    Effect.map(Policy.SensitivityPolicy, (policy) => policy.judge({ memory_key: "a/b", value: "my PIN is 4821" })).pipe(
      Effect.provide(
        Policy.layerConfig.pipe(Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(setting)))))
      )
    )

  it.effect("is on by default and off when the deployment says so", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* classified([])).sensitivity, "high")
      assert.strictEqual((yield* classified([["LOOM.MEMORY_SENSITIVITY_AUTODETECT", "true"]])).sensitivity, "high")
      assert.strictEqual((yield* classified([["LOOM.MEMORY_SENSITIVITY_AUTODETECT", "false"]])).sensitivity, "none")
      const wrong = yield* Effect.either(classified([["LOOM.MEMORY_SENSITIVITY_AUTODETECT", "perhaps"]]))
      assert.strictEqual(wrong._tag, "Left")
    }))
})
