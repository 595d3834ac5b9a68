import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { inOrder, instructionsOf, matcherOf, nothing, patternFault } from "../../src/blacklist/BlacklistMatcher.ts"
import { judgedText, placesOf } from "../../src/blacklist/BlacklistModel.ts"
import type { BlacklistPattern } from "../../src/blacklist/BlacklistModel.ts"
import { pattern } from "./BlacklistFixture.ts"

const regex = (id: number, text: string, more: Partial<BlacklistPattern> = {}) =>
  pattern(id, { pattern: text, pattern_type: "regex", ...more })
const substring = (id: number, text: string) => pattern(id, { pattern: text })
const idOf = (id: number) => pattern(id).pattern_id

const matches = (one: BlacklistPattern, text: string) => matcherOf([one]).match(text) !== undefined

describe("patternFault", () => {
  it("names what is wrong", () => {
    const faults: ReadonlyArray<["substring" | "regex", string, RegExp]> = [
      ["substring", " ", /blank/],
      ["substring", "\u200b", /blank/],
      ["substring", "a", /single character/],
      ["substring", " a\u200b ", /single character/],
      ["substring", "😀", /single character/],
      ["regex", " ", /single space/],
      ["regex", "\\s", /single space/],
      ["regex", "x?", /matches any text/],
      ["regex", "x", /single character/],
      ["regex", "日", /single character/],
      ["regex", "[a-z]", /single letter/],
      ["regex", "\\w", /single letter/],
      ["regex", "(?i)E|T", /single letter/],
      ["substring", "x".repeat(513), /longer than 512/],
      ["regex", "x".repeat(513), /longer than 512/],
      ["regex", "a(", /no RE2 pattern: missing closing \) at `a\(`/],
      ["regex", "(?=a)", /unsupported Perl syntax/],
      ["regex", "(a)\\1", /no RE2 pattern/],
      ["regex", "x{2000}", /invalid repeat count/],
      ["regex", "[z-a]", /invalid character class range/],
      ["regex", "(?:\\pL{100}){9}", /too large: \d+ instructions, at most 400/],
      ["regex", "a*", /matches any text/],
      ["regex", "^", /matches any text/],
      ["regex", ".", /matches any text/],
      ["regex", "foo|", /matches any text/]
    ]
    for (const [type, text, words] of faults) assert.match(patternFault(type, text) ?? "fine", words, text)
    const fine: ReadonlyArray<["substring" | "regex", string]> = [
      ["substring", "a("],
      ["substring", "秘密"],
      ["substring", "😀😀"],
      ["regex", "^x$"],
      ["regex", "0x"],
      ["regex", "\\d{3}"],
      ["substring", "x".repeat(512)],
      ["regex", "(?i)\\b(sk|pk)_(live|test)_[0-9a-z]{24,64}\\b"],
      ["regex", "\\p{Han}{2}"],
      ["regex", "(a+)+$"]
    ]
    for (const [type, text] of fine) assert.isUndefined(patternFault(type, text), text)
  })

  it("counts instructions of regexes alone", () => {
    assert.strictEqual(instructionsOf(substring(1, "abc")), 0)
    assert.isAbove(instructionsOf(regex(1, "a{30}")), 30)
  })
})

describe("matcherOf", () => {
  it("finds substrings whatever their case, width and accents", () => {
    for (const text of ["my hunter2!", "HUNTER2", "ｈｕｎｔｅｒ２", "xhünter2x"]) {
      assert.isTrue(matches(substring(1, "Hunter2"), text), text)
    }
    assert.isTrue(matches(substring(1, "HÜNTER２"), "hunter2"))
    assert.isTrue(matches(substring(1, "Straße"), "in der STRASSE"))
    assert.isFalse(matches(substring(1, "hunter2"), "hunter 2"))
    // Signs of a regex are signs.
    assert.isFalse(matches(substring(1, "a.c"), "abc"))
    assert.isTrue(matches(substring(1, "a.c"), "xa.cx"))
  })

  it("sees through what is invisible, and through signs of other shapes", () => {
    const hidden = [
      "Night\u200bjar",
      "night\u00adjar",
      "Nig\u2060htj\ufe0far",
      "n\u034fightjar",
      "night\u0007jar",
      "NIGHT\u3164JAR"
    ]
    for (const text of hidden) {
      assert.isTrue(matches(substring(1, "nightjar"), `Its ${text} friend`), JSON.stringify(text))
      assert.isTrue(matches(regex(1, "(?i)night[j]ar"), `Its ${text} friend`), JSON.stringify(text))
      assert.isTrue(matches(substring(1, text), "its nightjar"), JSON.stringify(text))
    }
    assert.isTrue(matches(substring(1, "don't go-live"), "We DON\u2019T go\u2010live"))
    assert.isTrue(matches(substring(1, "project blue heron"), "Project\nblue  \u00a0heron"))
    assert.isTrue(matches(regex(1, "AKIA[0-9A-Z]{16}"), "AK\u200bIA\uff21BCDEFGHIJKLMNOP"))
    // What a regex says of the text as it is holds too.
    assert.isTrue(matches(regex(1, "\u200b{2}"), "a\u200b\u200bb"))
    assert.isFalse(matches(substring(1, "nightjar"), "night jar"))
  })

  it("holds regexes against the text as it is", () => {
    assert.isTrue(matches(regex(1, "AKIA[0-9A-Z]{16}"), "key AKIAABCDEFGHIJKLMNOP"))
    assert.isFalse(matches(regex(1, "AKIA[0-9A-Z]{16}"), "key akiaabcdefghijklmnop"))
    assert.isTrue(matches(regex(1, "(?i)akia"), "AKIA"))
    assert.isTrue(matches(regex(1, "(?s)begin.*end"), "begin\nend"))
    assert.isFalse(matches(regex(1, "^only$"), "not only this"))
  })

  it("tells the oldest pattern that matches, of either kind", () => {
    const all = [substring(1, "alpha"), regex(2, "be+ta"), substring(3, "gamma"), regex(4, "delta"), regex(5, "beta")]
    const matcher = matcherOf(all)
    const found = (text: string) => matcher.match(text)?.pattern_id
    assert.strictEqual(found("delta gamma"), idOf(3))
    assert.strictEqual(found("delta beta"), idOf(2))
    assert.strictEqual(found("gamma alpha beta"), idOf(1))
    assert.strictEqual(found("delta"), idOf(4))
    assert.isUndefined(found("epsilon"))
    assert.deepEqual(matcher.match("alpha"), { pattern_id: idOf(1), scope: "namespace", reason: "a password" })
  })

  it("finds with many what it finds with each alone", () => {
    const parts = FastCheck.constantFrom("a", "b", "ab", "ba", "abc", "c+a", "[ab]c", "b{2}", "^a", "c$")
    const patterns = FastCheck.array(FastCheck.record({ part: parts, asRegex: FastCheck.boolean() }), { maxLength: 8 })
    const texts = FastCheck.stringMatching(/^[abc+]{0,12}$/)
    FastCheck.assert(FastCheck.property(patterns, texts, (given, text) => {
      const all = given.map(({ asRegex, part }, id) => asRegex ? regex(id, part) : substring(id, part))
      const alone = all.find((one) => matches(one, text))
      assert.strictEqual(matcherOf(all).match(text)?.pattern_id, alone?.pattern_id)
    }))
  })

  it("stays linear on what makes other engines hang", () => {
    const began = performance.now()
    assert.isFalse(matches(regex(1, "(a+)+$"), `${"a".repeat(100_000)}b`))
    assert.isFalse(matches(regex(1, "(.*)(.*)(.*)x"), "y".repeat(100_000)))
    // Each takes milliseconds; a backtracking engine would take longer than the universe.
    assert.isBelow(performance.now() - began, 5_000)
  })

  it("asks places in order and nothing for nothing", () => {
    const near = matcherOf([substring(1, "abc")])
    const far = matcherOf([substring(2, "ab"), regex(3, "z")])
    assert.strictEqual(inOrder([near, far]).match("abc")?.pattern_id, idOf(1))
    assert.strictEqual(inOrder([near, far]).match("ab z")?.pattern_id, idOf(2))
    assert.strictEqual(inOrder([nothing, matcherOf([]), nothing]), nothing)
    assert.isUndefined(nothing.match("anything"))
  })
})

describe("judgedText", () => {
  it("shows what JSON hides behind escapes", () => {
    assert.strictEqual(judgedText("a\\\"b", "string"), "a\\\"b")
    assert.strictEqual(judgedText("{\"a\":1}", "json"), "{\"a\":1}")
    const stored = JSON.stringify({ "na\nme": ["say \"hunter2\"", 5, null, { deep: "x\ty" }] })
    const text = judgedText(stored, "json")
    for (const part of ["na\nme", "say \"hunter2\"", "x\ty", stored]) assert.include(text, part)
  })
})

describe("placesOf", () => {
  it("goes from the namespace to everywhere", () => {
    assert.deepEqual(placesOf({ org: "acme", namespace: "eng" }), [
      { org: "acme", namespace: "eng" },
      { org: "acme", namespace: "" },
      { org: "", namespace: "" }
    ])
  })
})
