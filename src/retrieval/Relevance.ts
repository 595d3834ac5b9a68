/**
 * How relevant a memory is to a question, 0 to 1: the chance that it is evidence for the answer, from what it holds itself.
 * A logistic function of the share of the question's words in it (each by how rare it is in general English, see
 * `WordRarity`), its closeness, how much the question asks for, the identifiers and the names asked for, and being the
 * question word for word. Nothing in it counts or compares other rows, so adding, changing or removing one moves no other
 * row's relevance. (The word part of a score does know how rare a word is among the caller's rows; this is why it is not
 * used here.) What it was fitted on and its error on conversations left out of the fit: docs/adr/0017.
 */
import { mentions } from "./EntityQuestion.ts"
import type { Candidate } from "./Fusion.ts"
import { countsIn, identifiersHeld } from "./Fusion.ts"
import { closeness } from "./SearchIndex.ts"
import type { Head } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/**
 * `bias` to `size` were fitted by logistic regression on the twenty best hits of 742 and 883 questions to the development
 * conversations, facts and turns together. `near` is what a cosine above NEAR adds: fitted at 7 from few hits, taken
 * rounded. The others are not in that data and set by hand: to hold an identifier or a name that is asked for is worth a
 * fifth of all words, a memory without the identifiers asked for (`ERR_7732`) is about others however close it is
 * (`ERR_7731`: its words and its cosine alone come to a half), equality leaves no doubt.
 */
export const WEIGHTS = {
  bias: -9.8,
  words: 5.8,
  closeness: 2.5,
  near: 8,
  size: 1.24,
  identifier: 1,
  named: 1,
  lacking: 4.5,
  exact: 8
} as const

/** Above it the offline embedder finds sentences of one meaning, whatever their words. */
export const NEAR = 0.7

/** Shorter questions were not among those it was fitted on: a few keywords count as the shortest of these. */
export const SMALLEST = 4

/**
 * What a part that nobody looked at (a leg that failed or was not asked for) counts as: the mean of the hits it was fitted
 * on, so that silence is not taken for absence.
 */
export const UNKNOWN = { words: 0.5, closeness: 0.5 } as const

/** What a memory itself holds of a question. */
export interface OwnEvidence {
  /** The share of the question's words in its text or its best passage, by rarity, 0 to 1; null when it is not known. */
  readonly words: number | null
  /** The cosine that counts, -1 to 1; null when no vectors were compared. */
  readonly closeness: number | null
  /** How many words the question has: holding the half of ten says more than holding the half of two. */
  readonly size: number
  /** The share of the question's identifiers that it holds, 0 to 1. */
  readonly identifier: number
  /** The share of them that it does not hold, 0 to 1; 0 when its words are not known. */
  readonly lacking: number
  /** Whether one of its entities is a name in the question. */
  readonly named: boolean
  /** Whether it is the question word for word. */
  readonly exact: boolean
}

/** The relevance, rounded to six digits; it never falls when a part of the evidence grows. */
export const relevance = ({ closeness, exact, identifier, lacking, named, size, words }: OwnEvidence): number => {
  const close = Math.max(closeness ?? UNKNOWN.closeness, 0)
  const sum = WEIGHTS.bias + WEIGHTS.words * (words ?? UNKNOWN.words) + WEIGHTS.closeness * close +
    WEIGHTS.near * Math.max(close - NEAR, 0) + WEIGHTS.size * Math.log1p(Math.max(size, SMALLEST)) +
    WEIGHTS.identifier * identifier - WEIGHTS.lacking * lacking +
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
  const asked = terms.reduce((sum, { rarity }) => sum + rarity, 0)
  const asksByIdentifier = terms.some(({ identifier }) => identifier)
  return (candidate) => {
    const { cosines, head, passage, terms: inExcerpt } = candidate
    const counts = countsIn(terms, candidate)
    const isRead = asked > 0 && (inExcerpt !== undefined || passage !== undefined)
    const identifier = identifiersHeld(terms, counts)
    const held = terms.reduce((sum, { rarity }, at) => (counts[at] ?? 0) > 0 ? sum + rarity : sum, 0)
    return {
      words: isRead ? held / asked : null,
      closeness: cosines === undefined ? null : closeness(cosines),
      size: terms.length,
      identifier,
      lacking: isRead && asksByIdentifier ? 1 - identifier : 0,
      named: head.entities.some((entity) => names.has(entity)),
      exact: isQuestion(head)
    }
  }
}
