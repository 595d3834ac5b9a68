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

const toldOf = (quotes: ReadonlyArray<Quote>): ReadonlyArray<Evidence> => [
  ...new Set(quotes.map(({ evidence }) => evidence))
]

/** memory_ids that the store holds against a memory told, of memories that were not kept for the answer. */
export const unseenOf = (quotes: ReadonlyArray<Quote>, kept: ReadonlyArray<Evidence>): ReadonlyArray<string> => {
  const seen = new Set(kept.map(({ head }) => head.memory_id))
  const opposing = toldOf(quotes).flatMap(({ conflict_with, head }) =>
    head.status === "conflicted" ? conflict_with : []
  )
  return [...new Set(opposing)].filter((memory_id) => !seen.has(memory_id))
}

/**
 * Of the quotes of an answer, among all memories that were kept for it; null without any. `unseen` are the keys of those
 * `unseenOf` that the reader may read.
 */
export const consistencyOf = (
  quotes: ReadonlyArray<Quote>,
  kept: ReadonlyArray<Evidence>,
  unseen: ReadonlyArray<string>
): Consistency | null => {
  const told = toldOf(quotes)
  if (told.length === 0) return null
  const opposed = told.filter((one) => contradicting(one, told).length > 0)
  const score = (told.length - opposed.length) / told.length
  if (opposed.length > 0) {
    return { state: "conflicted", score, note: `These memories contradict each other: ${listOf(keysOf(opposed))}.` }
  }
  const besides = kept.filter((one) => contradicting(one, told).length > 0)
  if (besides.length > 0 || unseenOf(quotes, kept).length > 0) {
    const keys = [...keysOf(besides), ...unseen]
    return {
      state: "disputed",
      score,
      note: `Memories that are not told contradict this answer${keys.length === 0 ? "" : `: ${listOf(keys)}`}.`
    }
  }
  return { state: "consistent", score, note: null }
}

const keysOf = (evidence: ReadonlyArray<Evidence>): ReadonlyArray<string> => evidence.map(({ head }) => head.memory_key)

const listOf = (keys: ReadonlyArray<string>): string => [...new Set(keys)].map((key) => `\`${key}\``).join(", ")
