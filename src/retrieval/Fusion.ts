/**
 * One order out of what the legs found. The score of a memory is a sum with a stated meaning: the share of the question's
 * words that its text (or its best passage) holds, plus three quarters of its cosine with the question, plus a lift for
 * the identifiers it holds and one for being the question word for word. No part depends on which other rows were found.
 */
import { share } from "./Bm25.ts"
import { closeness } from "./SearchIndex.ts"
import type { Corpus, Cosines, Head, Passage, TermCounts } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/**
 * Weights of the parts. Word share to cosine was measured on the development conversations with the offline embedder:
 * recall@10 of 67.7 / 68.6 / 69.0 / 69.1 on turns and 76.5 / 78.1 / 78.7 / 78.6 on facts for a cosine at 0.3 / 0.5 /
 * 0.75 / 1. An identifier must outweigh a cosine that is 0.5 better, and equality everything else.
 */
export const WEIGHTS = { words: 1, vector: 0.75, identifier: 0.4, exact: 2 } as const

/** A candidate with all that is known of it; what no leg could tell is absent. */
export interface Candidate {
  readonly head: Head
  readonly cosines: Cosines | undefined
  /** Counts in the excerpt. */
  readonly terms: TermCounts | undefined
  /** The best passage of a long value, its share of the words and its counts. */
  readonly passage: { readonly at: Passage; readonly share: number; readonly counts: ReadonlyArray<number> } | undefined
}

/** The parts of a score, weighted: they add up to it. */
export interface Components {
  readonly words: number
  readonly vector: number
  readonly identifier: number
  readonly exact: number
}

export interface Ranked {
  readonly candidate: Candidate
  readonly score: number
  readonly components: Components
  /** The cosine that counted, of the value or, damped, of the key; null when the vector leg gave none. */
  readonly similarity: number | null
  /** The passage, when it holds more of the question than the excerpt does. */
  readonly passage: Passage | null
}

export interface Evidence {
  readonly terms: ReadonlyArray<TermGroup>
  /** Null when the lexical leg did not answer: excerpts are then not judged by their words. */
  readonly corpus: Corpus | null
  /** Whether a head is the question word for word. */
  readonly isQuestion: (head: Head) => boolean
}

/** All candidates, best first; of equal scores the later version first, then by id, so that the order is one. */
export const rank = (candidates: ReadonlyArray<Candidate>, evidence: Evidence): ReadonlyArray<Ranked> =>
  candidates.map((candidate) => judge(candidate, evidence)).sort((a, b) =>
    b.score - a.score || compare(b.candidate.head.version, a.candidate.head.version) ||
    compare(a.candidate.head.memory_id, b.candidate.head.memory_id)
  )

const judge = (candidate: Candidate, { corpus, isQuestion, terms }: Evidence): Ranked => {
  const { cosines, head, passage } = candidate
  const inExcerpt = candidate.terms !== undefined && corpus !== null ? share(corpus, candidate.terms) : 0
  const inPassage = passage?.share ?? 0
  const similarity = cosines === undefined ? null : closeness(cosines)
  const counts = terms.map((_, at) => (candidate.terms?.counts[at] ?? 0) + (passage?.counts[at] ?? 0))
  const components: Components = {
    words: rounded(WEIGHTS.words * Math.max(inExcerpt, inPassage)),
    vector: rounded(WEIGHTS.vector * Math.max(similarity ?? 0, 0)),
    identifier: rounded(WEIGHTS.identifier * identifiersHeld(terms, counts)),
    exact: isQuestion(head) ? WEIGHTS.exact : 0
  }
  return {
    candidate,
    score: rounded(components.words + components.vector + components.identifier + components.exact),
    components,
    similarity: similarity === null ? null : rounded(similarity),
    passage: inPassage > inExcerpt ? passage?.at ?? null : null
  }
}

/** The share of the question's identifiers that a text holds; 0 for a question without any. */
const identifiersHeld = (terms: ReadonlyArray<TermGroup>, counts: ReadonlyArray<number>): number => {
  const asked = terms.flatMap(({ identifier }, index) => identifier ? [counts[index] ?? 0] : [])
  return asked.length === 0 ? 0 : asked.filter((count) => count > 0).length / asked.length
}

// Six digits: what a single-precision cosine carries.
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

const compare = <A extends bigint | string>(a: A, b: A): number => a < b ? -1 : a > b ? 1 : 0
