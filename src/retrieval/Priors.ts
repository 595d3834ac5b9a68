/**
 * What speaks for or against a memory whatever its words are: how much it states, its confidence, who vouches for it, how
 * it served before, how sensitive it is, and how new it is when the question asks for now. Each is bounded, and together
 * they are at most `PRIOR_CAP` and at most half of what the memory's own match with the question is worth, so that they
 * order what is nearly equal and never stand above relevance. Pure; nothing depends on other memories.
 */
import { isVerified } from "../memory/MemoryModel.ts"
import type { QuestionTime } from "./QuestionTime.ts"
import type { Head, Usage } from "./SearchModel.ts"

/** The parts, each at most its weight in size. */
export interface Priors {
  /** Never below 0: the more a memory states, the likelier it answers. */
  readonly fullness: number
  /** Never below 0, and 0 unless the question asks for what holds now. */
  readonly recency: number
  /** Never above 0: what the writer was not sure of. */
  readonly confidence: number
  readonly trust: number
  /** Never below 0: harm takes credit away and puts no memory below its relevance. */
  readonly usage: number
  /** Never above 0. */
  readonly sensitivity: number
}

/**
 * Fullness was measured on the development conversations (recall@10 of 77.4 / 77.7 on facts and 71.6 / 72.6 on turns
 * without / with it). The others cannot be measured there, since all rows are alike in them: a twentieth of the words
 * orders what is nearly equal. What is asked for now and what served before may count twice that.
 */
export const WEIGHTS = { fullness: 0.12, recency: 0.1, confidence: 0.05, usage: 0.1, sensitivity: 0.05 } as const

/** What trust weighs unless the deployment says otherwise. */
export const DEFAULT_TRUST = 0.05
/** The highest weight that trust can be given: more could outweigh a word of the question. */
export const MOST_TRUST = 0.2

/** The most that the parts are together, up or down. */
export const PRIOR_CAP = 0.25
// And this share of the match, so that a memory that matches little gains little.
const OF_MATCH = 0.5

// A spoken turn or a paragraph; what is longer does not state more to the point.
const FULL_WORDS = 64
const HALF_LIFE_DAYS = 30
const DAY = 86_400_000

export interface Asked {
  readonly time: QuestionTime
  /** Milliseconds since 1970. */
  readonly now: number
  readonly trust: number
}

/** The parts for a memory of so many words (null when they were not counted) whose match is worth so much. */
export const priors = (head: Head, words: number | null, match: number, { now, time, trust }: Asked): Priors => {
  const own: Priors = {
    fullness: WEIGHTS.fullness * Math.min(1, Math.log1p(words ?? 0) / Math.log1p(FULL_WORDS)),
    recency: time.asksNow ? WEIGHTS.recency * decay(now - timeOf(head)) : 0,
    confidence: -WEIGHTS.confidence * (1 - Math.min(1, Math.max(0, head.confidence))),
    trust: trust * trustOf(head),
    usage: head.usage === undefined ? 0 : WEIGHTS.usage * usageShare(head.usage, now),
    sensitivity: head.sensitivity === "medium" ? -WEIGHTS.sensitivity : 0
  }
  const sum = Object.values(own).reduce((all, part) => all + part, 0)
  const most = Math.min(PRIOR_CAP, OF_MATCH * match)
  const scale = Math.abs(sum) <= most ? 1 : most / Math.abs(sum)
  return {
    fullness: rounded(scale * own.fullness),
    recency: rounded(scale * own.recency),
    confidence: rounded(scale * own.confidence),
    trust: rounded(scale * own.trust),
    usage: rounded(scale * own.usage),
    sensitivity: rounded(scale * own.sensitivity)
  }
}

/** When a memory's claim held, or when it was written. */
export const timeOf = ({ created_at, valid_at }: Pick<Head, "created_at" | "valid_at">): number =>
  valid_at ?? created_at

/** 1 for what is attested as it stands, a half for what somebody asserts, less than nothing for what came from outside. */
export const trustOf = (head: Head): number => {
  if (isVerified(head)) return 1
  switch (head.source_class) {
    case "asserted":
      return 0.5
    case "imported":
    case "external":
      return -1
    default:
      return 0
  }
}

// So many uses bring half of what use can bring: one lucky use does not carry a memory.
const HALF_CREDIT = 2

/** 0 to 1: the credit that is left after harm, halved by each month since the last use. */
export const usageShare = ({ credit, harm, last_at }: Usage, now: number): number => {
  const left = Math.max(0, credit - harm) * decay(now - last_at)
  return left / (left + HALF_CREDIT)
}

const decay = (age: number): number => 2 ** (-Math.max(0, age) / (HALF_LIFE_DAYS * DAY))

// Six digits, as the other parts of a score; no -0.
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6 + 0
