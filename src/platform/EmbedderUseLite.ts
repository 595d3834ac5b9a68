/**
 * The offline embedder: Universal Sentence Encoder Lite, whose weights lie in the installed package, in a thread of
 * its own. The model tells cases apart and reads only its first 128 tokens, so texts are lower-cased and a longer one
 * is embedded in windows whose mean, weighted by length, is its vector. It knows English only; `EmbedderUseLiteShift`
 * says what is done to questions.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Unavailable } from "../kernel/LoomError.ts"
import { chunks, isBlank } from "./Analyzer.ts"
import { Embedder, toUnit } from "./Embedder.ts"
import * as Batch from "./EmbedderBatch.ts"
import { remembering } from "./EmbedderMemory.ts"
import { questionBank, shifted, shiftOf } from "./EmbedderUseLiteShift.ts"
import * as Thread from "./EmbedderUseLiteThread.ts"

export interface UseLiteOptions extends Thread.ThreadOptions {
  /** Windows that may wait or run, over all callers, before a call is `Overloaded`. */
  readonly waiting?: number
}

export const make = (options: UseLiteOptions = {}): Effect.Effect<typeof Embedder.Service, never, Scope.Scope> =>
  Effect.gen(function*() {
    const thread = yield* Thread.make(options)
    const batched = yield* Batch.make({
      operation: "Embedder.embed",
      run: thread.run,
      largest: 32,
      // Long windows gain nothing from each other's company, and a search should not wait a second for them.
      heaviest: 2_400,
      // Five to ten seconds of work; whoever comes then is better told to come back.
      waiting: options.waiting ?? 1_024,
      parallel: 1,
      millisPerText: 10
    })
    const embedWindows = remembering(rememberedWindows, batched)

    const embed = Effect.fn("Embedder.embed")(function*(texts: ReadonlyArray<string>) {
      const cut = texts.map(windowsOf)
      const vectors = yield* embedWindows(cut.flat())
      let next = 0
      return cut.map((windows) => mean(windows, vectors.slice(next, next += windows.length)))
    })

    let shift: Float32Array | undefined
    const once = yield* Effect.makeSemaphore(1)
    const questionShift = once.withPermits(1)(Effect.gen(function*() {
      if (shift !== undefined) return shift
      const questions = yield* embed(questionBank.map(([question]) => question))
      const statements = yield* embed(questionBank.map(([, statement]) => statement))
      shift = shiftOf(questions, statements)
      return shift
    }))

    return {
      id: "use-lite-en@0.2.0/lower/v1",
      dimensions: Thread.dimensions,
      embed,
      embedQuery: Effect.fn("Embedder.embedQuery")(function*(text: string) {
        if (!latin.test(text)) return new Float32Array(Thread.dimensions)
        const move = shift ?? (yield* questionShift)
        const [vector] = yield* embed([text])
        if (vector === undefined) return yield* new Unavailable({ operation: "Embedder.embedQuery" })
        return shifted(vector, move)
      })
    }
  })

/** The model's thread starts with the first text and ends with the layer. */
export const layer: Layer.Layer<Embedder> = Layer.scoped(Embedder, make())

export const layerWith = (options: UseLiteOptions): Layer.Layer<Embedder> => Layer.scoped(Embedder, make(options))

// The model knows Latin letters and digits. All that is written in others has one and the same vector, which is close to
// whatever else it does not know.
const latin = /[\p{Script=Latin}\p{N}]/u

// 2 MB of vectors.
const rememberedWindows = 1_000

// 128 tokens are 400 to 500 characters of English; the model reads nothing after them.
const windowSize = 400

// Five windows, up to a quarter of a second: more than the excerpt that is embedded, longer values have chunks.
const longestText = 2_000

const windowsOf = (text: string): ReadonlyArray<string> => {
  // The tokenizer itself applies NFKC, which can make one letter eighteen: cut again after it.
  const plain = text.slice(0, longestText).normalize("NFKC").slice(0, longestText).toLowerCase()
  // The model refuses an empty text.
  return isBlank(plain) ? [" "] : chunks(plain, { size: windowSize, overlap: 0 }).map((chunk) => chunk.text)
}

const mean = (windows: ReadonlyArray<string>, vectors: ReadonlyArray<Float32Array>): Float32Array => {
  const sum = new Float32Array(Thread.dimensions)
  for (const [k, vector] of vectors.entries()) {
    const weight = windows[k]?.length ?? 0
    for (let i = 0; i < sum.length; i++) sum[i]! += weight * vector[i]!
  }
  // Windows that cancel each other out leave the first one to speak.
  return toUnit(sum) ?? vectors[0] ?? sum
}
