/**
 * An embedder for tests: no model, no clock, the same vector for the same text on every machine. Each stem of a text
 * adds its own pseudo-random direction, so texts that share words lie close and others nearly at right angles. A text
 * with the marker `failingText` makes the whole call fail, which lets black-box tests meet a failing embedder.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../kernel/LoomError.ts"
import { queryTerms } from "./Analyzer.ts"
import { Embedder, toUnit } from "./Embedder.ts"

export interface TestEmbedderOptions {
  /** The call fails when this holds for one of its texts; by default when a text contains `failingText`. */
  readonly failing?: (text: string) => boolean
}

export const failingText = "[embedder fails]"

/** Its similarities say how many words two texts share, and nothing of their meaning. */
export const testEmbedderId = "test-stems-64/v1"

// 64 random signs keep unrelated words within about 0.4 of a right angle, and a row stays small in a test table.
const dimensions = 64

export const make = (options: TestEmbedderOptions = {}): typeof Embedder.Service => {
  const failing = options.failing ?? ((text: string) => text.includes(failingText))
  const embed = Effect.fn("Embedder.embed")(function*(texts: ReadonlyArray<string>) {
    if (texts.some(failing)) return yield* new Unavailable({ operation: "Embedder.embed" })
    return texts.map(vectorOf)
  })
  return {
    id: testEmbedderId,
    dimensions,
    embed,
    embedQuery: Effect.fn("Embedder.embedQuery")(function*(text: string) {
      const [vector] = yield* embed([text])
      return vector ?? vectorOf("")
    })
  }
}

export const layerTestWith = (options: TestEmbedderOptions): Layer.Layer<Embedder> =>
  Layer.succeed(Embedder, make(options))

export const layerTest: Layer.Layer<Embedder> = layerTestWith({})

const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const { stems } = queryTerms(text)
  for (const stem of stems) addDirection(vector, stem)
  const unit = toUnit(vector)
  if (unit !== undefined) return unit
  // No stem at all, or stems that cancel out: the text as a whole gives the direction.
  addDirection(vector.fill(0), ` ${text}`)
  return toUnit(vector) ?? vector
}

/** Adds 64 signs drawn from a 32-bit FNV-1a hash of the word, stirred by xorshift. */
const addDirection = (vector: Float32Array, word: string): void => {
  let state = 0x811c9dc5
  for (let i = 0; i < word.length; i++) state = Math.imul(state ^ word.charCodeAt(i), 0x01000193)
  if (state === 0) state = 1
  for (let i = 0; i < dimensions; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    vector[i]! += state & 0x10000 ? 1 : -1
  }
}
