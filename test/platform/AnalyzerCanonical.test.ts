import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { canonical, isBlank } from "../../src/platform/Analyzer.ts"

describe("canonical", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["Deploys happen on Tuesdays!", "deploys happen on tuesdays"],
    ["Deploys  happen\n on\u00a0Tuesdays", "deploys happen on tuesdays."],
    ["“Deploys” happen (on Tuesdays)…", "deploys happen on tuesdays"],
    ["**Deploys** happen on `Tuesdays`", "Deploys happen on Tuesdays"],
    ["Deploys happen — on Tuesdays", "deploys happen, on Tuesdays"],
    ["a well-known rule", "A well known rule"],
    ["It’s five", "it's five"],
    ["He said \"version 5\".", "he said version 5"],
    ["The offset is −5", "the offset is -5."],
    ["from 10–12", "from 10-12"],
    ["\ufeffzero\u200bwidth\u00ad", "zerowidth"],
    ["５％", "5%"],
    ["Café", "cafe\u0301"],
    ["ΟΔΟΣ", "οδος"],
    ["❤️", "❤"],
    ["# Title", "title"],
    ["Bonjour !", "bonjour"],
    ["你好。", "你好"]
  ]
  for (const [one, other] of same) {
    it(`${one} = ${other}`, () => assert.strictEqual(canonical(one), canonical(other)))
  }

  const different: ReadonlyArray<readonly [string, string]> = [
    ["It's 27:10.", "It's 27 10"],
    ["C++", "C"],
    ["C#", "C"],
    ["C++", "C#"],
    ["-5", "5"],
    ["the offset is \"-5\"", "the offset is \"5\""],
    ["-$5", "$5"],
    ["-.5", ".5"],
    [".5", "5"],
    ["+5", "5"],
    ["±5", "5"],
    ["1.5", "15"],
    ["1.5", "1 5"],
    ["1,5", "15"],
    ["v2.1", "v21"],
    ["10.0.0.1", "10.0.01"],
    ["$5", "€5"],
    ["$5", "5"],
    ["5%", "5"],
    ["5‰", "5%"],
    ["10²", "102"],
    ["½", "1 2"],
    ["10-12", "1012"],
    ["1/2", "12"],
    ["and/or", "andor"],
    ["5 > 3", "5 < 3"],
    ["a != b", "a = b"],
    ["!ready", "ready"],
    ["R&D", "RD"],
    ["@ann", "ann"],
    ["#5", "5"],
    ["foo_bar", "foobar"],
    ["/etc/hosts", "etc/hosts"],
    [".env", "env"],
    ["../a", "./a"],
    ["git push --force", "git push force"],
    ["blood type A-", "blood type A"],
    ["blood type A-", "blood type A+"],
    ["grade B- in maths", "grade B in maths"],
    ["6'", "6\""],
    ["5'10\"", "510"],
    ["0 5 * * 1", "0 5 1"],
    ["*/5 * * * *", "/5 * * * *"],
    ["separator is ;", "separator is ,"],
    ["the default is []", "the default is {}"],
    ["café", "cafe"],
    [
      "supports 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "supports 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"
    ],
    ["I like 🍕", "I like 🍔"],
    ["20°C", "20C"],
    ["x^2", "x2"],
    ["a::b", "a b"],
    ["a:b", "ab"],
    ["C:\\temp", "C temp"],
    ["a@b.c", "a b.c"],
    ["???", "!!!"],
    ["???", ""],
    ["\u0000", "x"]
  ]
  for (const [one, other] of different) {
    it(`${JSON.stringify(one)} ≠ ${JSON.stringify(other)}`, () =>
      assert.notStrictEqual(canonical(one), canonical(other)))
  }

  // Signs are likelier here than in any text, and stand in every order.
  const signs = FastCheck.stringOf(
    FastCheck.constantFrom(
      ..."aB5é·.,:;-+#/\\'\"!?()[]{}*&@%$_`~ \n…—–“”「。",
      "\u0301",
      "²",
      "½",
      "🙂",
      "C",
      "\ud800"
    ),
    { maxLength: 24 }
  )
  for (const [name, texts] of [["signs", signs], ["any text", FastCheck.string16bits({ maxLength: 40 })]] as const) {
    it(`is idempotent, trimmed and empty for blank texts only: ${name}`, () => {
      FastCheck.assert(
        FastCheck.property(texts, (text) => {
          const form = canonical(text)
          assert.strictEqual(canonical(form), form)
          assert.isFalse(/^\s|\s$|\s\s/.test(form))
          if (!isBlank(text)) assert.notStrictEqual(form, "")
        }),
        { numRuns: 3000 }
      )
    })
  }

  it("keeps letters and digits, in order", () => {
    FastCheck.assert(FastCheck.property(signs, (text) => {
      const bare = (s: string) => s.replace(/[^a-z0-9é]/gu, "")
      assert.strictEqual(bare(canonical(text)), bare(text.normalize("NFC").toLowerCase()))
    }))
  })

  it("takes linear time on a long text of one sign", () => {
    // Processor time, since others may be busy: linear work takes a tenth of a second, a square of it minutes.
    const signs = ["\"", "'", "-", "\" ", "'\"", "(", "a-", "1.", "…", "\u0301", " ", "*", "\ud800"]
    for (const sign of signs) {
      const text = sign.repeat(200_000 / sign.length)
      const start = process.cpuUsage()
      canonical(text)
      assert.isBelow(process.cpuUsage(start).user / 1000, 3_000, JSON.stringify(sign))
    }
  }, 60_000)
})

describe("isBlank", () => {
  it("is true for what shows nothing", () => {
    for (
      const text of [
        "",
        " ",
        "\n\t",
        "\u00a0\u3000",
        "\u200b\u200d\ufeff",
        "\u0000\u0007",
        "\u2800",
        "\ufe0f",
        "\u3164"
      ]
    ) {
      assert.isTrue(isBlank(text), JSON.stringify(text))
    }
  })
  it("is false for what shows anything", () => {
    for (const text of ["0", ".", "🙂", " a ", "\ud800", "—"]) assert.isFalse(isBlank(text), JSON.stringify(text))
  })
})
