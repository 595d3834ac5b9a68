import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as CallRequest from "../../services/cli/CallRequest.ts"
import * as Lifetime from "../../services/cli/Lifetime.ts"
import { MemoryGet, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"

const made = (verb: Parameters<typeof CallRequest.make>[0], ...args: ReadonlyArray<string>) =>
  Either.getOrThrowWith(CallRequest.make(verb, args), (fault) => new Error(fault))

const refused = (verb: Parameters<typeof CallRequest.make>[0], ...args: ReadonlyArray<string>): string =>
  Either.match(CallRequest.make(verb, args), { onLeft: (fault) => fault, onRight: () => "" })

describe("CallRequest", () => {
  it("reads fields by the verb's types", () => {
    assert.deepStrictEqual(
      made(
        MemorySet,
        "memory_key=a/b/c",
        "value=1 = one",
        "confidence=0.5",
        "pinned=true",
        "tags=x",
        "tags=y",
        "char_limit=9"
      ),
      { memory_key: "a/b/c", value: "1 = one", confidence: 0.5, pinned: true, tags: ["x", "y"], char_limit: 9 }
    )
    assert.deepStrictEqual(made(MemoryList, "limit=10", "count_only=false"), { limit: 10, count_only: false })
  })

  it("reads name:=json as it stands, and JSON objects between fields", () => {
    assert.deepStrictEqual(
      made(MemorySet, `{"memory_key":"a/b/c","tags":["x"]}`, `value:={"n":1}`, "memory_key=a/b/d", "tags=z"),
      { memory_key: "a/b/d", tags: ["z"], value: { n: 1 } }
    )
  })

  it("keeps a value whatever it holds", () => {
    assert.deepStrictEqual(made(MemoryGet, "memory_key=a=b:=c\nd"), { memory_key: "a=b:=c\nd" })
    assert.deepStrictEqual(made(undefined, "limit=10"), { limit: "10" })
  })

  it("says what it cannot read", () => {
    assert.match(refused(MemoryList, "limit=x"), /limit is a number, not "x"/)
    assert.match(refused(MemoryList, "count_only=yes"), /true or false/)
    assert.match(refused(MemorySet, "value:={"), /value is no JSON/)
    assert.match(refused(MemorySet, "[1]"), /no JSON object/)
    assert.match(refused(MemorySet, `{"a":1,"a":2}`), /stands twice/)
    assert.match(refused(MemorySet, "--nope"), /no option --nope/)
  })
})

describe("Lifetime", () => {
  const now = Date.UTC(2026, 0, 1)

  it("takes a span or an end", () => {
    assert.strictEqual(Lifetime.seconds("90d", now), 7_776_000)
    assert.strictEqual(Lifetime.seconds("12 h", now), 43_200)
    assert.strictEqual(Lifetime.seconds("2026-01-02", now), 86_400)
    assert.strictEqual(Lifetime.seconds("2026-01-01T00:00:00.500Z", now), 1)
  })

  it("refuses what is neither, and the past", () => {
    assert.match(String(Lifetime.seconds("soon", now)), /takes a lifetime/)
    assert.match(String(Lifetime.seconds("90", now)), /takes a lifetime/)
    assert.match(String(Lifetime.seconds("2025-12-31", now)), /in the past/)
  })
})
