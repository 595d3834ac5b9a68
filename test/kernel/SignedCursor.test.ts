/** What opens a cursor and what does not: every bit of the text, the caller, the verb, the filter and the age. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { keyIdOf, MAX_AGE_MILLIS, open, seal } from "../../src/kernel/SignedCursor.ts"
import type { CursorKey, Listing } from "../../src/kernel/SignedCursor.ts"

const key: CursorKey = { key_id: "0a1b2c3d", secret: "ab".repeat(32) }
const listing: Listing = {
  verb: "memory.list",
  caller: localCaller,
  filter: { tags: ["a"], prefix: null, at: 1n + "" }
}
const NOON = Date.UTC(2026, 10, 29, 12)

const opened = (text: string, changed: Partial<Listing> = {}, now = NOON, by = key) =>
  Either.match(open(by, { ...listing, ...changed }, now, text), { onLeft: (fault) => fault, onRight: (place) => place })

describe("SignedCursor", () => {
  it("gives back the place it was given, whatever it holds", () => {
    fc.assert(fc.property(fc.jsonValue({ noUnicodeString: false }), (place) => {
      const plain = JSON.parse(JSON.stringify(place))
      const text = seal(key, listing, NOON, plain)
      assert.strictEqual(keyIdOf(text), key.key_id)
      assert.deepStrictEqual(opened(text), plain)
    }))
  })

  it("is opened by none that differs in a character, nor by another key", () => {
    const text = seal(key, listing, NOON, ["1", "mem_1"])
    for (let at = 0; at < text.length; at++) {
      const other = text.charAt(at) === "A" ? "B" : "A"
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      // The last digit of base64 has bits that say nothing; every other change is seen.
      if (keyIdOf(changed) === undefined || at === text.length - 1) continue
      assert.strictEqual(opened(changed), "unknown", `at ${at}`)
    }
    assert.strictEqual(opened(text, {}, NOON, { ...key, secret: "ac".repeat(32) }), "unknown")
    for (const strange of ["", ".", "..", "0a1b2c3d..", "nonsense", `${text}.x`, text.slice(1)]) {
      assert.isUndefined(keyIdOf(strange), strange)
    }
  })

  it("belongs to one caller, verb and filter, for a day", () => {
    const text = seal(key, listing, NOON, 1)
    const callers: ReadonlyArray<Partial<Caller>> = [
      { actor: "human:eve" },
      { org: "other" },
      { namespaces: ["a"] },
      { boundUser: "ada" },
      { platform: true }
    ]
    for (const changed of callers) {
      assert.strictEqual(opened(text, { caller: { ...localCaller, ...changed } }), "foreign", JSON.stringify(changed))
    }
    // What a token may do beside reading, and where it goes unasked, is no part of what it reads.
    assert.strictEqual(opened(text, { caller: { ...localCaller, role: "read", defaultNamespace: null } }), 1)
    assert.strictEqual(opened(text, { verb: "memory.proposals" }), "other")
    for (const filter of [{}, { ...listing.filter, tags: ["b"] }, { ...listing.filter, more: 0 }]) {
      assert.strictEqual(opened(text, { filter }), "other")
    }
    // The order of names and what is undefined say nothing.
    assert.strictEqual(opened(text, { filter: { at: "1", tags: ["a"], prefix: null, more: undefined } }), 1)
    assert.strictEqual(opened(text, {}, NOON + MAX_AGE_MILLIS), 1)
    assert.strictEqual(opened(text, {}, NOON + MAX_AGE_MILLIS + 1), "old")
    assert.strictEqual(opened(text, {}, NOON - 60_000), 1)
    assert.strictEqual(opened(text, {}, NOON - 60_001), "old")
  })
})
