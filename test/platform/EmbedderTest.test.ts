import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Embedder, toUnit } from "../../src/platform/Embedder.ts"
import { failingText, layerTest, make } from "../../src/platform/EmbedderTest.ts"

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

describe("EmbedderTest", () => {
  layer(layerTest)((it) => {
    it.effect("gives unit vectors, the same each time, also for texts without words", () =>
      Effect.gen(function*() {
        const embedder = yield* Embedder
        const texts = ["Deploys happen on Tuesdays", "", "???", "检索", "\ud800"]
        const once = yield* embedder.embed(texts)
        const again = yield* embedder.embed(texts)
        assert.strictEqual(once.length, texts.length)
        for (const [i, vector] of once.entries()) {
          assert.strictEqual(vector.length, embedder.dimensions)
          assert.approximately(cosine(vector, vector), 1, 1e-5)
          assert.deepStrictEqual(vector, again[i])
        }
      }))

    it.effect("puts texts that share words close, others far", () =>
      Effect.gen(function*() {
        const embedder = yield* Embedder
        const [a, b, c] = yield* embedder.embed([
          "Deploys happen on Tuesdays",
          "We deploy on a Tuesday",
          "The cat likes tuna"
        ])
        assert.isAbove(cosine(a!, b!), 0.6)
        assert.isBelow(cosine(a!, c!), 0.5)
        assert.isAbove(cosine(yield* embedder.embedQuery("when do deploys happen?"), a!), 0.6)
      }))

    it.effect("fails the call whose text asks for it", () =>
      Effect.gen(function*() {
        const embedder = yield* Embedder
        const failure = yield* Effect.flip(embedder.embed(["fine", `not fine ${failingText}`]))
        assert.strictEqual(failure._tag, "Unavailable")
      }))
  })

  it.effect("fails as a test says", () =>
    Effect.gen(function*() {
      const embedder = make({ failing: (text) => text === "bad" })
      assert.strictEqual((yield* Effect.flip(embedder.embed(["bad"])))._tag, "Unavailable")
      assert.strictEqual((yield* embedder.embed(["bad too"])).length, 1)
    }))
})

describe("toUnit", () => {
  it("refuses what has no direction", () => {
    assert.isUndefined(toUnit(new Float32Array(4)))
    assert.isUndefined(toUnit(Float32Array.of(1, Number.NaN)))
    assert.deepStrictEqual(toUnit(Float32Array.of(0, 2)), Float32Array.of(0, 1))
  })
})
