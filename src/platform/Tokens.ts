/**
 * How many tokens of o200k a text costs in a prompt. The table of the encoding takes a second to load on a busy machine, so
 * it is loaded by whoever counts first. What looks like a special token is text like any other: stored text commands
 * nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The tokens of a text; counting may stop, with a number above `most`, once there are more than that. */
export type CountTokens = (text: string, most?: number) => number

export class Tokens extends Context.Tag("loom/platform/Tokens")<Tokens, {
  /** The counter, once its table is there. */
  readonly counter: Effect.Effect<CountTokens>
}>() {}

// The merging of pairs is quadratic in a run without a break: 9,000 ideographs in one piece take 1.7 s, in pieces of this
// many characters 50 ms. A piece ends before a word where it can, which changes no count; else by a token or two upwards.
const PIECE = 256

/** A text in pieces that are counted one by one; together they are the text. */
export const pieces = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let start = 0
  while (text.length - start > PIECE) {
    const end = start + PIECE
    const space = /.*\S(?= \p{L})/su.exec(text.slice(start, end))?.[0].length ?? PIECE
    const isInside = /[\ud800-\udbff]/.test(text.charAt(start + space - 1))
    const length = isInside ? space - 1 : space
    found.push(text.slice(start, start + length))
    start += length
  }
  found.push(text.slice(start))
  return found
}

const plain = { disallowedSpecial: new Set<string>() }

const load: Effect.Effect<CountTokens> = Effect.map(
  // A part of this program: that it cannot be read is a defect of the installation.
  Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
  ({ countTokens }): CountTokens => (text, most = Number.MAX_SAFE_INTEGER) => {
    let count = 0
    for (const piece of pieces(text)) {
      count += countTokens(piece, plain)
      if (count > most) break
    }
    return count
  }
)

export const layer: Layer.Layer<Tokens> = Layer.effect(
  Tokens,
  Effect.map(Effect.cached(load), (counter) => ({ counter }))
)
