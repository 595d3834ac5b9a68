/**
 * How relevant a memory is to a question, 0 to 1, from what it holds itself: a logistic function of the share of the
 * question's words in it, its closeness, the identifiers and the names asked for, and being the question word for word.
 * Nothing in it counts or compares other rows, so adding, changing or removing one moves no other row's relevance. (The
 * word part of a score does know how rare a word is among the caller's rows; this is why it is not used here.)
 */
import { mentions } from "./EntityQuestion.ts"
import type { Candidate } from "./Fusion.ts"
import { countsIn, identifiersHeld } from "./Fusion.ts"
import { closeness } from "./SearchIndex.ts"
import type { Head } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/**
 * Provisional: set by hand, to be fitted on the development conversations by the evaluation; no other file has a number
 * of the relevance. A memory without a word of the question and at the cosine of unrelated sentences (0.2 and less) comes
 * to 0.05 and less, one with half of the words and a cosine of 0.5 to a half, one with all of them and 0.7 above 0.9.
 */
export const WEIGHTS = { bias: -4, words: 3, closeness: 5, identifier: 1, named: 0.7, exact: 4 } as const

/**
 * Provisional too: what a part that nobody looked at (a leg that failed or was not asked for) counts as. It is above what
 * unrelated rows have, so that silence is not taken for absence.
 */
export const UNKNOWN = { words: 0.3, closeness: 0.3 } as const

/** What a memory itself holds of a question. */
export interface OwnEvidence {
  /** The share of the question's word groups in its text or its best passage, 0 to 1; null when that is not known. */
  readonly words: number | null
  /** The cosine that counts, -1 to 1; null when no vectors were compared. */
  readonly closeness: number | null
  /** The share of the question's identifiers that it holds, 0 to 1. */
  readonly identifier: number
  /** Whether one of its entities is a name in the question. */
  readonly named: boolean
  /** Whether it is the question word for word. */
  readonly exact: boolean
}

/** The relevance, rounded to six digits; it never falls when a part of the evidence grows. */
export const relevance = ({ closeness, exact, identifier, named, words }: OwnEvidence): number => {
  const sum = WEIGHTS.bias + WEIGHTS.words * (words ?? UNKNOWN.words) +
    WEIGHTS.closeness * Math.max(closeness ?? UNKNOWN.closeness, 0) + WEIGHTS.identifier * identifier +
    (named ? WEIGHTS.named : 0) + (exact ? WEIGHTS.exact : 0)
  return Math.round(1e6 / (1 + Math.exp(-sum))) / 1e6
}

/** Tells what any candidate holds of one question. */
export const evidenceOf = (
  text: string,
  terms: ReadonlyArray<TermGroup>,
  isQuestion: (head: Head) => boolean
): (candidate: Candidate) => OwnEvidence => {
  const names = new Set(mentions(text).map(({ entity }) => entity))
  return (candidate) => {
    const { cosines, head, passage, terms: inExcerpt } = candidate
    const counts = countsIn(terms, candidate)
    const isRead = terms.length > 0 && (inExcerpt !== undefined || passage !== undefined)
    return {
      words: isRead ? counts.filter((count) => count > 0).length / terms.length : null,
      closeness: cosines === undefined ? null : closeness(cosines),
      identifier: identifiersHeld(terms, counts),
      named: head.entities.some((entity) => names.has(entity)),
      exact: isQuestion(head)
    }
  }
}
