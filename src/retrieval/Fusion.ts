/**
 * One order out of what the legs found. The score of a memory is a sum with a stated meaning: the share of the question's
 * words that its text with its key and entities (or its best passage) holds, plus three quarters of its cosine with the question, plus lifts for
 * the identifiers, the entities and the names it holds, for being of the time the question names and for being the
 * question word for word, plus or less what `Priors` bounds, plus or less a bounded part for its tags. It is never below
 * 0. No part depends on which other rows were found.
 */
import { share } from "../platform/Bm25.ts"
import type { Corpus, TermCounts } from "../platform/Bm25.ts"
import * as EntityGraph from "./EntityGraph.ts"
import { countsWithLabels } from "./Labels.ts"
import { DEFAULT_TRUST, priors, timeOf } from "./Priors.ts"
import type { Priors } from "./Priors.ts"
import { nearness } from "./QuestionTime.ts"
import type { QuestionTime } from "./QuestionTime.ts"
import { closeness } from "./SearchIndex.ts"
import type { Cosines, EntityWeights, Head, Passage } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/**
 * Weights of the parts. Word share to cosine was measured on the development conversations with the offline embedder:
 * recall@10 within 0.6 for a cosine at 0.5 to 1. On them, each part taken away from the whole (77.7 on facts, 72.6 on
 * turns; an evidence turn that no fact states counts as not found): without the lift for names 77.4 / 72.1, without that
 * for the time named 76.6 / 72.5. An identifier must outweigh a cosine that is 0.5 better, and equality everything else.
 * The development conversations have no entities, so theirs is not measured: half of an identifier's, for a name is
 * shared by more memories, and where the question names none it adds nothing. A tag orders what is nearly equal: a tenth
 * of the words; so does a digest that speaks of the memory, which is a hint and no evidence.
 */
export const WEIGHTS = {
  words: 1,
  vector: 0.75,
  identifier: 0.4,
  entities: 0.2,
  digests: 0.1,
  names: 0.1,
  time: 0.2,
  exact: 2,
  tags: 0.1
} as const

/** A candidate with all that is known of it; what no leg could tell is absent. */
export interface Candidate {
  readonly head: Head
  readonly cosines: Cosines | undefined
  /** Counts in the excerpt. */
  readonly terms: TermCounts | undefined
  /** The share of a digest that speaks of it, 0 to 1. */
  readonly digest?: number | undefined
  /** The best passage of a long value, its share of the words and its counts. */
  readonly passage: { readonly at: Passage; readonly share: number; readonly counts: ReadonlyArray<number> } | undefined
}

/** The parts of a score, weighted: they add up to it. */
export interface Components extends Priors {
  readonly words: number
  readonly vector: number
  readonly identifier: number
  readonly entities: number
  readonly digests: number
  readonly names: number
  readonly time: number
  readonly exact: number
  readonly tags_soft: number
  /** Never above 0, and never more than the other parts together. */
  readonly demote_tags: number
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
  /** Null when the entity leg did not answer or the question names no entity. */
  readonly entities: EntityWeights | null
  /** A memory that has any of these is lifted, or lowered. */
  readonly tagsSoft: ReadonlyArray<string>
  readonly tagsDemoted: ReadonlyArray<string>
  /** The times the question speaks of; null when it was not read. */
  readonly time: QuestionTime | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether a head is the question word for word. */
  readonly isQuestion: (head: Head) => boolean
}

/**
 * All candidates, best first; of equal scores the later version first, then by id, so that the order is one. `trust` is
 * the weight of where a memory comes from.
 */
export const rank = (
  candidates: ReadonlyArray<Candidate>,
  evidence: Evidence,
  trust: number = DEFAULT_TRUST
): ReadonlyArray<Ranked> =>
  candidates.map((candidate) => judge(candidate, evidence, trust)).sort((a, b) =>
    b.score - a.score || compare(b.candidate.head.version, a.candidate.head.version) ||
    compare(a.candidate.head.memory_id, b.candidate.head.memory_id)
  )

const judge = (candidate: Candidate, evidence: Evidence, trust: number): Ranked => {
  const { corpus, entities, isQuestion, now, tagsDemoted, tagsSoft, terms, time } = evidence
  const { cosines, head, passage } = candidate
  const inExcerpt = candidate.terms !== undefined && corpus !== null ? share(corpus, candidate.terms) : 0
  const said = countsWithLabels(terms, candidate)
  const withLabels = candidate.terms !== undefined && corpus !== null
    ? share(corpusOr(corpus, terms, candidate.terms), {
      counts: said,
      length: candidate.terms.length
    })
    : 0
  const inPassage = passage?.share ?? 0
  const similarity = cosines === undefined ? null : closeness(cosines)
  const counts = withPassage(said, candidate)
  const match = {
    words: rounded(WEIGHTS.words * Math.max(withLabels, inPassage)),
    vector: rounded(WEIGHTS.vector * Math.max(similarity ?? 0, 0)),
    identifier: rounded(WEIGHTS.identifier * identifiersHeld(terms, counts)),
    entities: entities === null ? 0 : rounded(WEIGHTS.entities * EntityGraph.share(entities, head.entities)),
    digests: rounded(WEIGHTS.digests * (candidate.digest ?? 0)),
    names: rounded(WEIGHTS.names * namesHeld(terms, counts)),
    time: time === null ? 0 : rounded(WEIGHTS.time * nearness(time, timeOf(head))),
    exact: isQuestion(head) ? WEIGHTS.exact : 0
  }
  const matched = sumOf(match)
  const bounded = priors(head, candidate.terms?.length ?? null, matched, { time: time ?? unread, now, trust })
  const soft = hasAny(head.tags, tagsSoft) ? WEIGHTS.tags : 0
  const lifted = rounded(matched + sumOf(bounded) + soft)
  // A score has its least at 0, so that it stays a sum of what speaks for a memory.
  const lowered = hasAny(head.tags, tagsDemoted) ? Math.min(WEIGHTS.tags, lifted) : 0
  return {
    candidate,
    score: rounded(lifted - lowered),
    components: { ...match, ...bounded, tags_soft: soft, demote_tags: lowered === 0 ? 0 : -lowered },
    similarity: similarity === null ? null : rounded(similarity),
    passage: inPassage > inExcerpt ? passage?.at ?? null : null
  }
}

/** The corpus, or, where no text holds a word of the question and nothing was counted, one in which all are alike. */
const corpusOr = (corpus: Corpus, terms: ReadonlyArray<TermGroup>, { length }: TermCounts): Corpus =>
  corpus.rows > 0 ? corpus : { rows: 0, meanLength: length, holding: terms.map(() => 0) }

const unread: QuestionTime = { named: [], asksNow: false }

const sumOf = <Part extends string>(parts: { readonly [_ in Part]: number }): number =>
  Object.values<number>(parts).reduce((sum, part) => sum + part, 0)

/** How often each word group stands in the excerpt (or else in the labels) and the best passage together. */
export const countsIn = (terms: ReadonlyArray<TermGroup>, candidate: Candidate): ReadonlyArray<number> =>
  withPassage(countsWithLabels(terms, candidate), candidate)

const withPassage = (counts: ReadonlyArray<number>, { passage }: Candidate): ReadonlyArray<number> =>
  counts.map((count, at) => count + (passage?.counts[at] ?? 0))

/** The share of the question's identifiers that a text holds; 0 for a question without any. */
export const identifiersHeld = (terms: ReadonlyArray<TermGroup>, counts: ReadonlyArray<number>): number =>
  shareHeld(terms.flatMap(({ identifier }, index) => identifier ? [counts[index] ?? 0] : []))

/** The share of the question's names that a text holds; 0 for a question without any. */
export const namesHeld = (terms: ReadonlyArray<TermGroup>, counts: ReadonlyArray<number>): number =>
  shareHeld(terms.flatMap(({ name }, index) => name ? [counts[index] ?? 0] : []))

const shareHeld = (counts: ReadonlyArray<number>): number =>
  counts.length === 0 ? 0 : counts.filter((count) => count > 0).length / counts.length

const hasAny = (tags: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean =>
  wanted.some((tag) => tags.includes(tag))

// Six digits: what a single-precision cosine carries.
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

const compare = <A extends bigint | string>(a: A, b: A): number => a < b ? -1 : a > b ? 1 : 0
