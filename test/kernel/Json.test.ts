import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { canonical, parse, sha256 } from "../../src/kernel/Json.ts"
import type { Json } from "../../src/kernel/Json.ts"

const fault = (text: string) => Either.match(parse(text), { onLeft: (found) => found, onRight: () => undefined })

describe("Json.parse", () => {
  it("agrees with JSON.parse on what JSON.stringify gives", () =>
    FastCheck.assert(FastCheck.property(FastCheck.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value)
      assert.deepStrictEqual(Either.getOrThrow(parse(text)), JSON.parse(text))
    })))

  for (
    const [text, kind] of [
      ["", "syntax"],
      ["{", "syntax"],
      ["{\"a\":1,}", "syntax"],
      ["[1,2", "syntax"],
      ["nul", "syntax"],
      ["{\"a\":1,\"a\":2}", "value"],
      ["{\"a\":1,\"a\":1}", "value"],
      ["{\"a\":{\"b\":[],\"b\":[]}}", "value"],
      ["{\"a\":1,\"\\u0061\":2}", "value"],
      ["[{\"a\":1},{\"a\":1,\"c\":[\"a\",\"a\"],\"c\":0}]", "value"],
      ["1e400", "value"],
      ["12345678901234567890", "value"],
      ["0.1234567890123456789", "value"],
      ["[".repeat(200) + "]".repeat(200), "value"]
    ] as const
  ) {
    it(`refuses ${text.slice(0, 40)} as ${kind}`, () => assert.strictEqual(fault(text)?.kind, kind))
  }

  for (
    const text of [
      "{\"a\":\"a\",\"b\":{\"a\":\"b\"},\"c\":[{\"a\":1},{\"a\":1}]}",
      "9007199254740992",
      "1e21",
      "-0",
      "0.1"
    ]
  ) {
    it(`accepts ${text}`, () => assert.strictEqual(fault(text), undefined))
  }

  it("says where a text stops being JSON", () => assert.strictEqual(fault("{\"a\": tru}")?.position, 6))
})

describe("Json.canonical", () => {
  it("does not depend on the order of keys", () =>
    FastCheck.assert(FastCheck.property(FastCheck.dictionary(FastCheck.string(), FastCheck.integer()), (record) => {
      const turned: Json = Object.fromEntries(Object.entries(record).reverse())
      assert.strictEqual(canonical(turned), canonical(record))
    })))

  it("prints as RFC 8785 does", () =>
    assert.strictEqual(
      canonical({ "\u20ac": "Euro", "\r": "cr", "1": 1e30, a: [56.0, 4.5, 0.002, -0] }),
      "{\"\\r\":\"cr\",\"1\":1e+30,\"a\":[56,4.5,0.002,0],\"€\":\"Euro\"}"
    ))

  it("hashes UTF-8", () =>
    assert.strictEqual(sha256("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"))
})
