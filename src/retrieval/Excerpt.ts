/**
 * The part of a text that speaks to a question: the run of whole pieces, within a limit, that holds the most of its word
 * groups, the earliest of equal ones. It is a verbatim part of the text, so it can be found there again.
 */
import { chunks, lemmas, stems } from "../platform/Analyzer.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** `weights` has one number per term group: how much holding it is worth. */
export const bestPart = (
  text: string,
  terms: ReadonlyArray<TermGroup>,
  weights: ReadonlyArray<number>,
  limit: number
): string => {
  if (text.length <= limit) return text
  const pieces = chunks(text, { size: pieceSize(limit), overlap: 0 })
  const held = pieces.map((piece) => heldIn(piece.text, terms))
  let best = { from: 0, to: 0, worth: -1 }
  for (let from = 0; from < pieces.length; from++) {
    const found = new Set<number>()
    const start = pieces[from]?.start ?? 0
    for (let to = from; to < pieces.length; to++) {
      const end = pieces[to]?.end ?? start
      if (end - start > limit && to > from) break
      for (const index of held[to] ?? []) found.add(index)
      const worth = [...found].reduce((sum, index) => sum + (weights[index] ?? 1), 0)
      // A longer run that holds no more still shows more of what stands around it.
      if (worth > best.worth || (worth === best.worth && from === best.from)) best = { from, to, worth }
    }
  }
  const start = pieces[best.from]?.start ?? 0
  return text.slice(start, Math.min(pieces[best.to]?.end ?? text.length, start + limit)).trim()
}

// A few pieces to a part, so that it can begin near what it is about; a piece is a sentence or a half.
const pieceSize = (limit: number): number => Math.max(16, Math.min(120, Math.floor(limit / 3)))

const heldIn = (text: string, terms: ReadonlyArray<TermGroup>): ReadonlyArray<number> => {
  const stemsHeld = new Set(stems(text))
  const lemmasHeld = new Set(lemmas(text))
  return terms.flatMap(({ lemmas, stem }, index) =>
    stemsHeld.has(stem) || lemmas.some((lemma) => lemmasHeld.has(lemma)) ? [index] : []
  )
}
