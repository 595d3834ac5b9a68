import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"

// As the environment gives them: one flat map, names joined by an underscore.
const given = (values: Record<string, string>) =>
  ConfigProvider.fromMap(new Map(Object.entries(values)), { pathDelim: "_", seqDelim: "," })
const choose = (values: Record<string, string>) => Effect.withConfigProvider(EmbedderConfig.config, given(values))
const remote = {
  LOOM_EMBEDDINGS_URL: "http://127.0.0.1:9/v1",
  LOOM_EMBEDDINGS_MODEL: "small",
  LOOM_EMBEDDINGS_DIMS: "384"
}

describe("EmbedderConfig", () => {
  it.effect("uses the offline model unless told otherwise", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* choose({}), { kind: "use-lite" })
      assert.deepStrictEqual(yield* choose({ LOOM_EMBEDDER: "test" }), { kind: "test" })
      const file = "/vectors.bin"
      assert.deepStrictEqual(yield* choose({ LOOM_EMBEDDER: "replay", LOOM_EMBEDDER_REPLAY: file }), {
        kind: "replay",
        file
      })
    }))

  it.effect("uses the server that is named, whatever else is", () =>
    Effect.gen(function*() {
      const choice = yield* choose({ ...remote, LOOM_EMBEDDINGS_KEY: "sk-secret", LOOM_EMBEDDER: "test" })
      assert.strictEqual(choice.kind, "openai")
      if (choice.kind !== "openai") return
      const { key, ...rest } = choice.options
      assert.deepStrictEqual(rest, {
        url: "http://127.0.0.1:9/v1",
        model: "small",
        dimensions: 384,
        sendDimensions: false
      })
      assert.strictEqual(key === undefined ? undefined : Redacted.value(key), "sk-secret")
      assert.notInclude(JSON.stringify(choice), "sk-secret")
    }))

  const wrong: ReadonlyArray<readonly [Record<string, string>, ReadonlyArray<string>]> = [
    [{ LOOM_EMBEDDINGS_URL: remote.LOOM_EMBEDDINGS_URL }, ["EMBEDDINGS_MODEL", "EMBEDDINGS_DIMS"]],
    [{ ...remote, LOOM_EMBEDDINGS_URL: "no address" }, ["EMBEDDINGS_URL"]],
    [{ ...remote, LOOM_EMBEDDINGS_URL: "file:///etc" }, ["EMBEDDINGS_URL"]],
    [{ ...remote, LOOM_EMBEDDINGS_DIMS: "0" }, ["EMBEDDINGS_DIMS"]],
    [{ ...remote, LOOM_EMBEDDINGS_DIMS: "many", LOOM_EMBEDDER: "best" }, ["EMBEDDINGS_DIMS", "EMBEDDER"]],
    [{ LOOM_EMBEDDER: "replay" }, ["EMBEDDER_REPLAY"]]
  ]
  for (const [values, names] of wrong) {
    it.effect(`names what is wrong: ${names.join(", ")}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(choose(values))
        for (const name of names) assert.include(String(error), name)
      }))
  }

  it.effect("builds the layer", () =>
    Effect.gen(function*() {
      const idOf = (values: Record<string, string>) =>
        Effect.map(Embedder, (embedder) => embedder.id).pipe(
          Effect.provide(EmbedderConfig.layerConfig.pipe(Layer.provide(FetchHttpClient.layer))),
          Effect.withConfigProvider(given(values))
        )
      assert.strictEqual(yield* idOf({ LOOM_EMBEDDER: "test" }), "test-stems-64/v1")
      assert.strictEqual(yield* idOf({}), "use-lite-en@0.2.0/lower/v1")
      assert.strictEqual(yield* idOf(remote), "openai:small/384/v1")
      const absent = yield* Effect.exit(idOf({ LOOM_EMBEDDER: "replay", LOOM_EMBEDDER_REPLAY: "/no/such/file" }))
      assert.isTrue(Exit.isFailure(absent))
    }))
})
