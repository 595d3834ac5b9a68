/** What of memories stands in a digest, and which words of a model are taken for one. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { SessionMemory } from "../../src/retrieval/DigestSessions.ts"
import { digestOf, faithful, MOST_TEXT } from "../../workers/DigestText.ts"

const memory = (value: string, at = 0): SessionMemory => ({
  memory_key: `k/${at}`,
  content_sha256: `sha-${at}`,
  value,
  value_kind: "string"
})
const memories = (...values: ReadonlyArray<string>) => values.map(memory)

describe("digestOf", () => {
  it("tells of each memory by its sentence that says most, in their order", () => {
    const { text, used } = digestOf(memories(
      "Hello there. The harbour of Oslo opens at six.",
      "Apples are sold out.",
      "The ferry to Bergen leaves at nine."
    ))
    assert.strictEqual(
      text,
      "Hello there.\nThe harbour of Oslo opens at six.\nApples are sold out.\nThe ferry to Bergen leaves at nine."
    )
    assert.deepStrictEqual(used.map(({ memory_key }) => memory_key), ["k/0", "k/1", "k/2"])
  })

  it("says nothing twice", () => {
    const { text } = digestOf(memories("Apples are sold out.", "Apples are sold out. Pears are sold out."))
    assert.strictEqual(text, "Apples are sold out.\nPears are sold out.")
  })

  it("reads the texts of JSON values", () => {
    const { text } = digestOf([{ ...memory(""), value: JSON.stringify({ a: ["Apples are out"] }), value_kind: "json" }])
    assert.strictEqual(text, "Apples are out")
  })

  it("keeps within its bounds whatever the memories are, verbatim, and names those it tells of", () => {
    const value = FastCheck.oneof(
      FastCheck.string({ unit: "binary", maxLength: 60 }),
      FastCheck.array(
        FastCheck.constantFrom("harbour", "Oslo.", "nine", "the", "ferry!\n", "王先生。", "x".repeat(300)),
        {
          maxLength: 30
        }
      ).map((words) => words.join(" "))
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(value, { maxLength: 12 }), (values) => {
        const given = values.map((value, at) => memory(value, at))
        const { text, used } = digestOf(given)
        assert.isAtMost(text.length, MOST_TEXT)
        for (const line of text === "" ? [] : text.split("\n")) {
          assert.isTrue(given.some(({ value }) => value.includes(line)))
        }
        assert.isTrue(used.every((one) => given.includes(one)))
        assert.strictEqual(used.length === 0, text === "")
      }),
      { numRuns: 100 }
    )
  })
})

describe("faithful", () => {
  const held = memories("Ada moved Orion to Oslo on 3 May.", "The budget is 1,200 EUR.", "Tests of v1.9 run at night.")

  it("takes what names nothing that the memories do not say", () => {
    for (
      const text of [
        "Ada moved Orion to Oslo. The budget is 1,200 EUR.",
        "The notes: a move by Ada, and tests at night.",
        "Orion went to Oslo on 3 May; v1.9 is tested at night."
      ]
    ) {
      assert.strictEqual(faithful(` ${text}\n`, held), text)
    }
  })

  it("takes nothing else", () => {
    for (
      const text of [
        "",
        "Ada moved Orion to Bergen.",
        "The budget is 1,300 EUR.",
        "Tests of v1.8 run at night.",
        "Grace moved it.",
        "It cost 5.",
        "One. Two. Three. Four.",
        "a ".repeat(MOST_TEXT)
      ]
    ) {
      assert.isNull(faithful(text, held), text.slice(0, 40))
    }
  })
})
