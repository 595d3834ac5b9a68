import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { mintKey } from "../../src/extraction/KeyMint.ts"
import { slugOf } from "../../src/extraction/KeySlug.ts"
import { MemoryKey } from "../../src/kernel/Identity.ts"

const key = (subject: string, attribute: string, user = "") => mintKey({ subject, attribute }, user)
const isKey = Schema.is(MemoryKey)

describe("KeyMint", () => {
  it("names the user, persons and things", () => {
    assert.strictEqual(key("user", "employer"), "user/employer")
    assert.strictEqual(key("Jonas", "employer"), "person/jonas/employer")
    assert.strictEqual(key("the billing service", "owner"), "thing/billing-service/owner")
    assert.strictEqual(key("Orion", "deadline"), "thing/orion/deadline")
    assert.strictEqual(key("api.ts", "style"), "thing/api-ts/style")
  })

  it("a user whose name is known keeps his keys", () => {
    for (const subject of ["user", "The user", "Nadia Berg", "nadia berg", "Nadia"]) {
      assert.strictEqual(key(subject, "residence", "Nadia Berg"), "user/residence")
    }
    assert.strictEqual(key("Otto", "residence", "Nadia Berg"), "person/otto/residence")
  })

  it("what belongs to somebody stands below him", () => {
    assert.strictEqual(key("the user's sister", "residence"), "user/sister/residence")
    assert.strictEqual(key("Nadia's sister", "residence", "Nadia"), "user/sister/residence")
    assert.strictEqual(key("Otto's sister", "residence"), "person/otto/sister/residence")
    assert.strictEqual(key("Jonas’ dog", "name"), "person/jonas/dog/name")
  })

  it("words for one attribute lead to one key", () => {
    const groups = [
      ["lives in", "moved to", "residence", "home", "current city", "Wohnort"],
      ["works at", "employer", "company", "place of work"],
      ["job", "profession", "works as", "current role", "Occupation"],
      ["likes/chili", "hates/chili", "preference/Chili", "loves / chili"],
      ["favourite food", "favorite_food", "Preferred food"]
    ]
    for (const group of groups) {
      assert.strictEqual(new Set(group.map((attribute) => key("user", attribute))).size, 1, group.join())
    }
    assert.notStrictEqual(key("user", "employer"), key("user", "job"))
    assert.notStrictEqual(key("user", "likes/chili"), key("user", "likes/sushi"))
  })

  it("keeps letters of every script", () => {
    assert.strictEqual(key("李雷", "職業"), "person/李雷/職業")
    assert.strictEqual(key("Zoë", "Straße"), "person/zoë/strasse")
    assert.strictEqual(key("मीरा", "पता"), "person/मीरा/पता")
  })

  it("long names are cut and stay apart", () => {
    const long = "a very long name indeed ".repeat(20)
    assert.notStrictEqual(slugOf(`${long}one`), slugOf(`${long}two`))
    assert.isAtMost(slugOf(long).length, 64)
    assert.strictEqual(slugOf(slugOf(long)), slugOf(long))
  })

  const text = FastCheck.oneof(
    FastCheck.string({ unit: "grapheme", maxLength: 80 }),
    FastCheck.string({ unit: "binary", maxLength: 80 }),
    FastCheck.constantFrom("user", "the user's dog", "../..", "a//b", "👍", "\u0301", "ﬁ", "İstanbul", "lives in", " ")
  )

  it("is always a valid key, whatever the words", () => {
    FastCheck.assert(FastCheck.property(text, text, text, (subject, attribute, user) => {
      const minted = mintKey({ subject, attribute }, user)
      assert.isTrue(isKey(minted), JSON.stringify(minted))
      assert.isAtLeast(minted.split("/").length, 2)
    }))
  })

  it("knows no value, and no difference of case and spaces", () => {
    const word = FastCheck.constantFrom(
      "Nadia",
      "the billing team",
      "user",
      "Otto's dog",
      "Works at",
      "favourite tea",
      "likes/oat coffee"
    )
    FastCheck.assert(FastCheck.property(word, word, FastCheck.string(), (subject, attribute, value) => {
      const fact = { subject, attribute, text: value }
      const other = { subject: ` ${subject.toUpperCase()} `, attribute: attribute.toUpperCase().replaceAll(" ", "  ") }
      assert.strictEqual(mintKey(fact, ""), mintKey(other, ""))
    }))
  })
})
