import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Json } from "../../src/kernel/Json.ts"
import * as MemoryIntake from "../../src/memory/MemoryIntake.ts"
import type { Intent } from "../../src/memory/MemoryIntake.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import { cases } from "./SensitivityCases.ts"

/** Prepares values with an embedder that keeps every text it is given. */
const prepareAll = (intents: ReadonlyArray<Partial<Intent> & { readonly value: Json }>) => {
  const seen: Array<string> = []
  const plain = EmbedderTest.make()
  const listening = Layer.succeed(Embedder, {
    ...plain,
    embed: (texts: ReadonlyArray<string>) => {
      seen.push(...texts)
      return plain.embed(texts)
    }
  })
  return Effect.gen(function*() {
    const intake = yield* MemoryIntake.MemoryIntake
    const contents = yield* Effect.forEach(
      intents,
      (intent) => intake.prepare({ memory_key: "a/note", memory_type: undefined, sensitivity: undefined, ...intent })
    )
    return { contents, seen }
  }).pipe(Effect.provide(
    MemoryIntake.layer.pipe(Layer.provide(Layer.merge(listening, SensitivityPolicy.layerDetect)))
  ))
}

const one = (intent: Partial<Intent> & { readonly value: Json }) =>
  Effect.map(prepareAll([intent]), ({ contents, seen }) => ({ content: contents[0], seen }))

const isBlank = (value: Json) => typeof value === "string" && value.trim() === ""

describe("MemoryIntake", () => {
  it.effect("gives no value that is high to the embedder, whole or in part", () =>
    Effect.gen(function*() {
      const high = cases.filter(({ label, value }) => label === "high" && !isBlank(value))
      const { contents, seen } = yield* prepareAll(
        high.map(({ memory_key, value }) => ({ value, memory_key: memory_key ?? "a/note" }))
      )
      assert.deepStrictEqual(seen, [])
      for (const content of contents) {
        assert.strictEqual(content.sensitivity, "high")
        assert.strictEqual(content.searchable, null)
        assert.strictEqual(content.canonical_sha256, "")
      }
    }))

  it.effect("embeds what is medium or none", () =>
    Effect.gen(function*() {
      const { content, seen } = yield* one({ value: "Write to ann@example.com" })
      assert.strictEqual(content?.sensitivity, "medium")
      assert.deepStrictEqual(seen, ["Write to ann@example.com", "a note"])
    }))

  it.effect("says that and why a label was set, and nothing of the value", () =>
    Effect.gen(function*() {
      const { content } = yield* one({ value: "my PIN is 4821" })
      assert.deepStrictEqual(content?.advisories, [
        "sensitivity was set to high: the value looks like it holds a PIN"
      ])
      const none = yield* one({ value: "Deploys happen on Tuesdays" })
      assert.deepStrictEqual(none.content?.advisories, [])
    }))

  it.effect("respects what the writer states", () =>
    Effect.gen(function*() {
      for (const sensitivity of ["none", "medium", "high"] as const) {
        const { content, seen } = yield* one({ value: "my PIN is 4821", sensitivity })
        assert.strictEqual(content?.sensitivity, sensitivity)
        assert.deepStrictEqual(content?.advisories, [])
        assert.strictEqual(seen.length, sensitivity === "high" ? 0 : 2)
      }
    }))

  it.effect("never lowers the label a key holds already, and raises it when the value asks for it", () =>
    Effect.gen(function*() {
      const raised = yield* one({ value: "my PIN is 4821", kept: "medium" })
      assert.strictEqual(raised.content?.sensitivity, "high")
      assert.deepStrictEqual(raised.seen, [])
      const held = yield* one({ value: "Deploys happen on Tuesdays", kept: "high" })
      assert.strictEqual(held.content?.sensitivity, "high")
      assert.deepStrictEqual(held.seen, [])
      assert.deepStrictEqual(held.content?.advisories, [])
    }))

  it.effect("warns of a secret in the key, which no label hides", () =>
    Effect.gen(function*() {
      const { content } = yield* one({
        memory_key: ["ghp", "_aH2vCgN6z3mT0B7sYaH2xrgN6L5mT0E9sYaK"].join(""),
        value: "Deploys happen on Tuesdays",
        sensitivity: "none"
      })
      assert.deepStrictEqual(content?.advisories, [
        "`memory_key` looks like it holds a GitHub token; lists show keys, so keep secrets in the value"
      ])
    }))

  it.effect("stores a procedure without a body as semantic, and says so", () =>
    Effect.gen(function*() {
      const { content } = yield* one({ value: "Roll back, then tell ops", memory_type: "procedural" })
      assert.strictEqual(content?.memory_type, "semantic")
      assert.strictEqual(content?.retyped_from, "procedural")
      assert.strictEqual(content?.advisories?.length, 1)
      const kept = yield* one({
        value: { situation: "A deploy fails", steps: ["Read the log", "Roll back"] },
        memory_type: "procedural"
      })
      assert.strictEqual(kept.content?.memory_type, "procedural")
      assert.strictEqual(kept.content?.retyped_from, "")
    }))

  it.effect("embeds no episodic or profile value", () =>
    Effect.gen(function*() {
      const { contents, seen } = yield* prepareAll([
        { value: "Deployed at noon", memory_type: "episodic" },
        { value: "Ann leads billing", memory_type: "profile" }
      ])
      assert.deepStrictEqual(seen, [])
      assert.deepStrictEqual(contents.map(({ searchable }) => searchable), [null, null])
    }))

  it.effect("refuses what holds nothing to find again, in words that fit it", () =>
    Effect.gen(function*() {
      const empty: ReadonlyArray<readonly [Json, RegExp]> = [
        [null, /is null/],
        [[], /empty list/],
        [{}, /empty object/],
        [[""], /empty list/],
        [[null, [], { "": " " }], /empty list/],
        [{ "": null }, /empty object/],
        ["", /is blank/],
        ["\u0301", /no letter/],
        [" \u0301\ufe0f\u20e3 ", /no letter/]
      ]
      for (const [value, words] of empty) {
        const refused = yield* Effect.merge(Effect.as(one({ value }), { _tag: "taken", message: "" }))
        assert.deepInclude(refused, { _tag: "Refusal", code: "INVALID_ARGUMENT" }, JSON.stringify(value))
        assert.match(refused.message, words)
      }
    }))

  it.effect("takes signs, numbers, flags and records with a named member", () =>
    Effect.gen(function*() {
      for (
        const value of [".", "!!!", "é", "e\u0301", "★", "👍", "1\ufe0f\u20e3", 0, false, [0], { a: "" }, { a: null }]
      ) {
        assert.isDefined((yield* one({ value })).content, JSON.stringify(value))
      }
    }))
})
