import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as UseLite from "../../src/platform/EmbedderUseLite.ts"
import { questionBank } from "../../src/platform/EmbedderUseLiteShift.ts"

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

// The real model: it loads in half a second, and in a few on a busy machine.
layer(UseLite.layer, { timeout: 60_000 })("EmbedderUseLite", (it) => {
  it.effect("gives unit vectors in order, alone or in a batch", () =>
    Effect.gen(function*() {
      const embedder = yield* Embedder
      assert.strictEqual(embedder.id, "use-lite-en@0.2.0/lower/v1")
      const texts = [
        "We deploy to production on Wednesdays.",
        "The cat sleeps on the sofa.",
        "Releases go out in the middle of the week.",
        "x".repeat(300)
      ]
      const together = yield* embedder.embed(texts)
      assert.strictEqual(together.length, texts.length)
      for (const vector of together) {
        assert.strictEqual(vector.length, 512)
        assert.approximately(cosine(vector, vector), 1, 1e-5)
      }
      assert.isAbove(cosine(together[0]!, together[2]!), cosine(together[0]!, together[1]!) + 0.2)
      // A text that no cache has seen, so that the model meets it alone and among others.
      const [alone] = yield* embedder.embed(["Anna owns two cellos."])
      const [, among] = yield* embedder.embed(["Peter owns a trumpet.", "ANNA OWNS TWO CELLOS.", "No."])
      assert.isAbove(cosine(alone!, among!), 0.9999)
    }))

  it.effect("takes any text", () =>
    Effect.gen(function*() {
      const embedder = yield* Embedder
      const texts = [
        "",
        " ",
        "\n",
        "\u0000",
        "\ud800",
        "😀",
        "检索",
        "\u200b",
        "\ufdfa".repeat(3_000),
        "a".repeat(100_000)
      ]
      for (const text of texts) {
        const [vector] = yield* embedder.embed([text])
        assert.approximately(cosine(vector!, vector!), 1, 1e-5, JSON.stringify(text.slice(0, 10)))
      }
      assert.strictEqual((yield* embedder.embed(texts)).length, texts.length)
    }))

  it.effect("sees what stands beyond the model's own window", () =>
    Effect.gen(function*() {
      const embedder = yield* Embedder
      const filler = "The meeting notes of the garden club were read and approved. ".repeat(10)
      const [cello, trumpet] = yield* embedder.embed([`${filler}Anna owns two cellos.`, `${filler}The server is down.`])
      assert.isBelow(cosine(cello!, trumpet!), 0.9999)
    }))

  it.effect("moves a question towards the statements that answer it", () =>
    Effect.gen(function*() {
      const embedder = yield* Embedder
      assert.strictEqual(questionBank.length, 40)
      const pairs = [
        ["Where does Priya work?", "Priya works at a hospital in Leeds."],
        ["Which port does the admin page use?", "The admin page uses port 9443."],
        ["When did the backup fail?", "The backup failed on Sunday night."]
      ] as const
      for (const [question, statement] of pairs) {
        const [plain, answer] = yield* embedder.embed([question, statement])
        const moved = yield* embedder.embedQuery(question)
        assert.approximately(cosine(moved, moved), 1, 1e-5)
        assert.isAbove(cosine(moved, answer!), cosine(plain!, answer!))
      }
    }))

  it.effect("serves many callers at once", () =>
    Effect.gen(function*() {
      const embedder = yield* Embedder
      const texts = Array.from({ length: 100 }, (_, i) => `Room ${i} has ${i * 3} chairs.`)
      const single = yield* Effect.forEach(texts, (text) => embedder.embed([text]), { concurrency: "unbounded" })
      assert.deepStrictEqual(single.flat(), yield* embedder.embed(texts))
    }))
})

describe("EmbedderUseLite", () => {
  it.effect("refuses when too much waits, and ends with its scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const embedder = yield* Scope.extend(UseLite.make({ waiting: 50 }), scope)
      const texts = (from: number) => Array.from({ length: 40 }, (_, i) => `Number ${from + i} of many.`)
      const first = yield* Effect.fork(embedder.embed(texts(0)))
      yield* Effect.yieldNow()
      const failure = yield* Effect.flip(embedder.embed(texts(100)))
      assert.strictEqual(failure._tag, "Overloaded")
      assert.strictEqual((yield* Fiber.join(first)).length, 40)
      const cut = yield* Effect.fork(embedder.embed(texts(200)))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(cut)))
    }), 60_000)
})
