import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../src/kernel/Json.ts"
import { HIDDEN_TYPES, marked, typeFacts } from "../../src/memory/MemoryType.ts"
import { isProcedureBody, settledType } from "../../src/memory/ProcedureBody.ts"

const body = { situation: "A deploy fails", steps: ["Read the log", "Roll back"] }

describe("ProcedureBody", () => {
  const table: ReadonlyArray<readonly [string, Json, boolean]> = [
    ["a situation and two steps", body, true],
    ["more members", { ...body, owner: "ops" }, true],
    ["steps as records", { ...body, steps: [{ do: "Read the log" }, { do: "Roll back" }] }, true],
    ["the JSON text of a body", JSON.stringify(body), true],
    ["the JSON text with space around it", `\n ${JSON.stringify(body, null, 2)}\n`, true],
    ["plain text", "When a deploy fails, read the log and roll back", false],
    ["text that only begins like JSON", "{situation: a deploy fails}", false],
    ["one step", { ...body, steps: ["Roll back"] }, false],
    ["two steps, one blank", { ...body, steps: ["Roll back", " "] }, false],
    ["two steps, one empty record", { ...body, steps: ["Roll back", {}] }, false],
    ["steps as numbers", { ...body, steps: [1, 2] }, false],
    ["steps as text", { ...body, steps: "Read the log. Roll back" }, false],
    ["no steps", { situation: "A deploy fails" }, false],
    ["a blank situation", { ...body, situation: " \n" }, false],
    ["no situation", { steps: body.steps }, false],
    ["a situation that is no text", { ...body, situation: { is: "a deploy" } }, false],
    ["a list", [body, body], false],
    ["nothing", null, false],
    ["a number", 4, false]
  ]
  for (const [name, value, expected] of table) {
    it(`${expected ? "takes" : "does not take"} ${name} for a procedure`, () => {
      assert.strictEqual(isProcedureBody(value), expected)
      assert.deepStrictEqual(
        settledType("procedural", value),
        expected
          ? { memory_type: "procedural", retyped_from: "" }
          : { memory_type: "semantic", retyped_from: "procedural" }
      )
      assert.deepStrictEqual(settledType("decision", value), { memory_type: "decision", retyped_from: "" })
    })
  }
})

describe("MemoryType", () => {
  it("is the page's table", () => {
    const rows = ["semantic", "preference", "procedural", "reflection", "episodic", "profile", "decision", "toString"]
      .map((name) => [name, typeFacts(name).embedded, typeFacts(name).inUnfilteredSearch])
    assert.deepStrictEqual(rows, [
      ["semantic", true, true],
      ["preference", true, true],
      ["procedural", true, true],
      ["reflection", true, false],
      ["episodic", false, false],
      ["profile", false, false],
      ["decision", true, true],
      ["toString", true, true]
    ])
    assert.deepStrictEqual(HIDDEN_TYPES, ["reflection", "episodic", "profile"])
  })

  const tag = "retyped_from:procedural"
  const retyped = { memory_type: "semantic", retyped_from: "procedural" }
  const plain = { memory_type: "semantic", retyped_from: "" }

  it("marks a retyped row once, beside every tag of its writer", () => {
    const tags = Array.from({ length: 64 }, (_, index) => `t${index}`)
    assert.deepStrictEqual(marked({ ...retyped, tags }).tags, [tag, ...tags])
    assert.deepStrictEqual(marked({ ...retyped, tags: ["a", tag] }).tags, [tag, "a"])
    assert.deepStrictEqual(marked({ ...retyped, tags: ["a", tag] }, { ...retyped, tags: [] }).tags, ["a", tag])
  })

  it("keeps the type the row was stored as when a restatement calls it a procedure again", () => {
    assert.strictEqual(marked({ ...retyped, memory_type: "procedural", tags: [] }).memory_type, "semantic")
    assert.strictEqual(marked({ ...retyped, memory_type: "decision", tags: [] }).memory_type, "decision")
  })

  it("takes the mark off with the retyping, and off no row that never had it", () => {
    assert.deepStrictEqual(marked({ ...plain, tags: [tag, "a"] }, { ...retyped, tags: [] }).tags, ["a"])
    assert.deepStrictEqual(marked({ ...plain, tags: [tag, "a"] }, { ...plain, tags: [] }).tags, [tag, "a"])
    assert.deepStrictEqual(marked({ ...plain, tags: [tag] }).tags, [tag])
  })
})
