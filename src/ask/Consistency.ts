/** Whether the memories that an answer rests on go together, by the contradictions that the store has found. Pure. */
import type { Evidence, Quote } from "./EvidenceModel.ts"
import { contradicting } from "./Extract.ts"

export interface Consistency {
  /** `conflicted`: two of them contradict each other. `disputed`: one is contradicted by a memory that is not told. */
  readonly state: "consistent" | "conflicted" | "disputed"
  /** The share of them that no other one told contradicts, 0 to 1. */
  readonly score: number
  readonly note: string | null
}

/** Of the quotes of an answer, among all memories that were kept for it; null without any. */
export const consistencyOf = (quotes: ReadonlyArray<Quote>, kept: ReadonlyArray<Evidence>): Consistency | null => {
  const told = [...new Set(quotes.map(({ evidence }) => evidence))]
  if (told.length === 0) return null
  const opposed = told.filter((one) => contradicting(one, told).length > 0)
  const score = (told.length - opposed.length) / told.length
  if (opposed.length > 0) {
    return { state: "conflicted", score, note: `These memories contradict each other: ${keysOf(opposed)}.` }
  }
  const besides = kept.filter((one) => contradicting(one, told).length > 0)
  if (besides.length > 0) {
    return {
      state: "disputed",
      score,
      note: `Other memories that were found contradict this answer: ${keysOf(besides)}.`
    }
  }
  return { state: "consistent", score, note: null }
}

const keysOf = (evidence: ReadonlyArray<Evidence>): string =>
  [...new Set(evidence.map(({ head }) => `\`${head.memory_key}\``))].join(", ")
