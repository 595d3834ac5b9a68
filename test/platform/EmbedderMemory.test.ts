import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { remembering } from "../../src/platform/EmbedderMemory.ts"

describe("EmbedderMemory", () => {
  it.effect("asks once for a text, again for one it had to forget, and hands out copies", () =>
    Effect.gen(function*() {
      const asked: Array<ReadonlyArray<string>> = []
      const embed = remembering(2, (texts) =>
        Effect.sync(() => {
          asked.push(texts)
          return texts.map((text) => Float32Array.of(text.charCodeAt(0)))
        }))
      const [first] = yield* embed(["a", "b", "a"])
      first![0] = 0
      assert.deepStrictEqual(yield* embed(["b", "a"]), [Float32Array.of(98), Float32Array.of(97)])
      yield* embed(["c"])
      yield* embed(["a", "b"])
      assert.deepStrictEqual(asked, [["a", "b"], [], ["c"], ["b"]])
      // Two lone surrogates are two texts, though UTF-8 has one spelling for both.
      yield* embed(["\ud800"])
      yield* embed(["\ud801"])
      assert.deepStrictEqual(asked.slice(4), [["\ud800"], ["\ud801"]])
    }))

  it.effect("keeps nothing of a failure", () =>
    Effect.gen(function*() {
      let failing = true
      const embed = remembering(2, (texts) =>
        failing ? Effect.fail("no") : Effect.succeed(texts.map(() => new Float32Array(1))))
      assert.strictEqual(yield* Effect.flip(embed(["a"])), "no")
      failing = false
      assert.strictEqual((yield* embed(["a"])).length, 1)
    }))
})
