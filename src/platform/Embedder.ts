/**
 * The port to whatever turns text into vectors. Every adapter keeps three promises: vectors have unit length, so that a
 * dot product is a cosine; the answer has one vector per text in the order asked; and a failure is whole, never a
 * shorter list. Adapters: `EmbedderUseLite` (offline), `EmbedderOpenAi` (remote), `EmbedderReplay` (benches) and
 * `EmbedderTest`; `EmbedderConfig` picks one.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Overloaded, Refusal, Unavailable } from "../kernel/LoomError.ts"

/**
 * `Unavailable` and `Overloaded` pass by themselves. A `Refusal` does not: `EMBEDDING_REFUSED` is one text's fault,
 * `EMBEDDER_MISCONFIGURED` the settings'.
 */
export type EmbedError = Refusal | Unavailable | Overloaded

export class Embedder extends Context.Tag("loom/platform/Embedder")<Embedder, {
  /** Names model, version and preparation, for example `use-lite-en@0.2.0/lower/v1`; stored beside each vector. */
  readonly id: string
  /** The length of every vector. */
  readonly dimensions: number
  /** One unit vector per text, in order; repeatable; texts share batches with those of other callers. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedError>
  /**
   * The unit vector of a question, placed where the statements that answer it lie; all zeros for one of which the model
   * knows nothing, and no vectors are then compared.
   */
  readonly embedQuery: (text: string) => Effect.Effect<Float32Array, EmbedError>
}>() {}

/** The vector scaled to length 1, in place; a zero or non-finite vector has no direction and gives `undefined`. */
export const toUnit = (vector: Float32Array): Float32Array | undefined => {
  let sum = 0
  for (const x of vector) sum += x * x
  if (!(sum > 0) || !Number.isFinite(sum)) return undefined
  const scale = 1 / Math.sqrt(sum)
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale
  return vector
}
