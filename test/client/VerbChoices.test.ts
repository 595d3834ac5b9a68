/** A field that takes one of several words says all of them when it is given another. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { allVerbs } from "../../src/client/Verbs.ts"
import type { Refusal } from "../../src/kernel/LoomError.ts"
import { payloadFault } from "../../src/kernel/Verb.ts"

const membersOf = (type: AST.AST): ReadonlyArray<AST.AST> => AST.isUnion(type) ? type.types.flatMap(membersOf) : [type]

/** The words that a field takes, when it takes words alone. */
const wordsOf = (type: AST.AST): ReadonlyArray<string> => {
  const members = membersOf(type).filter((one) => !AST.isUndefinedKeyword(one))
  const words = members.flatMap((one) => AST.isLiteral(one) && typeof one.literal === "string" ? [one.literal] : [])
  return words.length === members.length && words.length > 1 ? words : []
}

/** What the edge would say of a value that does not fit. */
const faultOf = (schema: Schema.Schema.AnyNoContext, value: unknown): Refusal =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(value), {
    onLeft: payloadFault,
    onRight: () => assert.fail("it fits")
  })

describe("a choice", () => {
  it("names every option, for every verb", () => {
    let choices = 0
    for (const { payload, tag } of allVerbs) {
      for (const { name, type } of AST.getPropertySignatures(AST.encodedAST(payload.ast))) {
        const words = wordsOf(type)
        if (words.length === 0) continue
        choices += 1
        const field = String(name)
        const fault = faultOf(Schema.Struct({ [field]: Schema.make<unknown>(type) }), { [field]: "nope" })
        const options = words.map((word) => `"${word}"`).join(", ")
        assert.strictEqual(fault.message, `\`${field}\` is not one of ${options}`, tag)
        assert.deepStrictEqual(fault.facts, { field, allowed: words })
      }
    }
    assert.isAbove(choices, 20)
  })

  it("names the options of an entry, and those that are no words", () => {
    const words = Schema.Struct({ fields: Schema.Array(Schema.Literal("value", "tags")) })
    assert.strictEqual(
      faultOf(words, { fields: ["tags", "nope", "no"] }).message,
      "`fields.1` is not one of \"value\", \"tags\""
    )
    const fault = faultOf(Schema.Struct({ ttl: Schema.NullOr(Schema.Literal(1, 2)) }), { ttl: "secret" })
    assert.match(fault.message, /^`ttl` is not one of (?:null|1|2)(?:, (?:null|1|2)){2}$/)
    assert.deepStrictEqual(fault.facts, { field: "ttl" })
    assert.strictEqual(faultOf(Schema.Struct({ ttl: Schema.Number }), { ttl: "secret" }).message, "`ttl` is not number")
  })
})
