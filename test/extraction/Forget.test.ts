/** What a request to forget means for certain. */
import { assert, describe, it } from "@effect/vitest"
import { meant } from "../../src/extraction/Forget.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { rowOf as rowIn } from "../memory/MemoryFixture.ts"

const rowOf = (memory_key: string, value: string, changed: Partial<MemoryRow> = {}) =>
  rowIn({ org: "acme", namespace: "eng" }, { memory_key, value, ...changed })

const rows = [
  rowOf("user/residence", "The user lives in Berlin."),
  rowOf("user/phone", "The user has a Pixel phone."),
  rowOf("user/pin", "", { sensitivity: "high" }),
  rowOf("person/mia/residence", "Mia lives in Berlin."),
  rowOf("person/mia/diet", "Mia eats no meat since last summer."),
  rowOf("project/loom/owner", "Nadia owns the project Loom.")
]

const keysOf = (what: string, at: number | null = null, user = "") => {
  const found = meant({ what, at, user }, rows)
  return found._tag === "certain" ? found.rows.map(({ memory_key }) => memory_key) : found._tag
}

describe("Forget", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string> | string]> = [
    ["that I live in Berlin", ["user/residence"]],
    ["where I live", ["user/residence"]],
    ["my phone", ["user/phone"]],
    ["what I told you about my phone", ["user/phone"]],
    // Its value is not looked at.
    ["my PIN", ["user/pin"]],
    ["that Mia lives in Berlin", ["person/mia/residence"]],
    ["that Nadia owns the project Loom", ["project/loom/owner"]],
    // A topic, a person, everything: nobody knows how much of it.
    ["Berlin", "none"],
    ["Mia", "none"],
    ["everything", "none"],
    ["everything about Mia", "none"],
    ["that Mia eats", "none"],
    ["that I live in Rome", "none"],
    ["that I live in Berlin with Mia", "none"],
    ["", "none"]
  ]
  for (const [what, expected] of cases) {
    it(`"${what}"`, () => assert.deepStrictEqual(keysOf(what), expected))
  }

  it("leaves what became true after it was asked", () => {
    const later = [rowOf("user/residence", "The user lives in Berlin.", { valid_at: 2_000 })]
    assert.strictEqual(meant({ what: "where I live", at: 1_000, user: "" }, later)._tag, "none")
    assert.strictEqual(meant({ what: "where I live", at: 3_000, user: "" }, later)._tag, "certain")
  })

  it("knows the user by his name, and takes no more than anybody can mean", () => {
    const told = [rowOf("user/residence", "Ada lives in Berlin.")]
    assert.strictEqual(meant({ what: "that I live in Berlin", at: null, user: "Ada" }, told)._tag, "certain")
    const many = Array.from(
      { length: 30 },
      (_, at) => rowOf("user/phone", `The user has a phone ${at}.`, { session_id: `s${at}` })
    )
    assert.strictEqual(meant({ what: "my phone", at: null, user: "" }, many)._tag, "unclear")
  })
})
