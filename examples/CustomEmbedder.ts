/**
 * A Loom server with an embedder of its own: provide a layer of the `Embedder` port and keep everything else. Start it
 * with `UV_THREADPOOL_SIZE=16 node CustomEmbedder.js`; it serves until it is stopped.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder } from "loom/platform/Embedder"
import * as Serve from "loom/services/serve/Serve"

// Letters of the alphabet by frequency: a toy that shows the shape. A real one calls a model here.
const DIMENSIONS = 26

const letters = (text: string): Float32Array => {
  const counts = new Float32Array(DIMENSIONS)
  for (const letter of text.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97
    if (index >= 0 && index < DIMENSIONS) counts[index] = (counts[index] ?? 0) + 1
  }
  const length = Math.hypot(...counts) || 1
  return counts.map((count) => count / length)
}

const layerLetters = Layer.succeed(Embedder, {
  id: "letters/v1",
  dimensions: DIMENSIONS,
  embed: (texts) => Effect.succeed(texts.map(letters)),
  embedQuery: (text) => Effect.succeed(letters(text))
})

const program = Effect.gen(function*() {
  const settings = yield* Serve.settings
  return yield* Layer.launch(Serve.layerWith(settings, { version: "example", embedder: layerLetters }))
})

NodeRuntime.runMain(program)
