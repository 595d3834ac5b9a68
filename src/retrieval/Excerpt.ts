/**
 * The part of a text that speaks to a question: a run of whole sentences, within a limit, in which the question's words
 * stand closest together. It begins with a line where one fits, so that who speaks and when stays with what is said. It
 * is a verbatim part of the text, so it can be found there again.
 */
import { chunks, lemmas, stems } from "../platform/Analyzer.ts"
import { weight } from "./Bm25.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** `weights` has one number per term group: how much holding it is worth among all texts. */
export const bestPart = (
  text: string,
  terms: ReadonlyArray<TermGroup>,
  weights: ReadonlyArray<number>,
  limit: number
): string => {
  if (text.length <= limit) return text
  const pieces = piecesOf(text, limit)
  const held = pieces.map(({ end, start }) => heldIn(text.slice(start, end), terms))
  // A word of every sentence, as the name of the one who speaks, does not tell one from another.
  const worths = terms.map((_, term) =>
    (weights[term] ?? 1) * weight(pieces.length, held.filter((terms) => terms.includes(term)).length)
  )
  let best: Run = { start: 0, end: Math.min(pieces[0]?.end ?? limit, limit), worth: -1, off: 0 }
  for (const [from, { begins }] of pieces.entries()) {
    if (!begins) continue
    const run = runFrom(pieces, held, worths, from, limit)
    const gain = run.worth - best.worth
    // Of equal ones that in whose middle the words stand: it shows what is said before and after.
    if (gain > ROUNDING || (gain > -ROUNDING && run.off < best.off)) best = run
  }
  return text.slice(best.start, best.end).trim()
}

interface Piece {
  readonly start: number
  readonly end: number
  /** Whether an excerpt may begin here. */
  readonly begins: boolean
}

interface Run {
  readonly start: number
  readonly end: number
  readonly worth: number
  /** How far from its middle the words stand, in characters. */
  readonly off: number
}

// Sums of the same numbers in another order differ by less.
const ROUNDING = 1e-9

// BM25's: the second time a word stands there adds less than the first.
const SATURATION = 1.2

/** The longest run that begins with a piece. */
const runFrom = (
  pieces: ReadonlyArray<Piece>,
  held: ReadonlyArray<ReadonlyArray<number>>,
  worths: ReadonlyArray<number>,
  from: number,
  limit: number
): Run => {
  const start = pieces[from]?.start ?? 0
  const counts = worths.map(() => 0)
  const found: Array<{ readonly middle: number; readonly worth: number }> = []
  let end = start
  for (let at = from; at < pieces.length; at++) {
    const piece = pieces[at]
    if (piece === undefined || (piece.end - start > limit && at > from)) break
    end = Math.min(piece.end, start + limit)
    const terms = held[at] ?? []
    for (const term of terms) counts[term] = (counts[term] ?? 0) + 1
    const worth = terms.reduce((sum, term) => sum + (worths[term] ?? 0), 0)
    if (worth > 0) found.push({ middle: (piece.start + piece.end) / 2, worth })
  }
  const worth = counts.reduce(
    (sum, count, term) => sum + (worths[term] ?? 0) * count * (1 + SATURATION) / (count + SATURATION),
    0
  )
  const total = found.reduce((sum, { worth }) => sum + worth, 0)
  const off = found.reduce((sum, { middle, worth }) => sum + worth * Math.abs(middle - (start + end) / 2), 0)
  return { start, end, worth, off: total === 0 ? 0 : off / total }
}

const line = /[^\n]*\n|[^\n]+$/g
const sentenceEnd = /[.!?…]["')\]]*\s+|[。！？]/g

/** The sentences of a text, in order and whole; only one that is longer than the limit is cut further. */
const piecesOf = (text: string, limit: number): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  for (const { 0: whole, index: lineStart } of text.matchAll(line)) {
    const fits = whole.trimEnd().length <= limit
    const ends = [...whole.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length)
    let from = 0
    for (const to of new Set([...ends, whole.length])) {
      const sentence = whole.slice(from, to)
      const parts = sentence.length <= limit ? [{ start: 0, end: sentence.length }] : chunks(sentence, cutting(limit))
      for (const { end, start } of parts) {
        pieces.push({
          start: lineStart + from + start,
          end: lineStart + from + end,
          begins: !fits || from + start === 0
        })
      }
      from = to
    }
  }
  return pieces
}

// A few pieces to a part, so that it can begin near what it is about.
const cutting = (limit: number) => ({ size: Math.max(16, Math.min(120, Math.floor(limit / 3))), overlap: 0 })

const heldIn = (text: string, terms: ReadonlyArray<TermGroup>): ReadonlyArray<number> => {
  const stemsHeld = new Set(stems(text))
  const lemmasHeld = new Set(lemmas(text))
  return terms.flatMap(({ lemmas, stem }, index) =>
    stemsHeld.has(stem) || lemmas.some((lemma) => lemmasHeld.has(lemma)) ? [index] : []
  )
}
