/**
 * Whether a search can answer at all. The confidence of an answer is the highest relevance in it; below the floor the
 * server says that it does not know, and why. Pure; what it decides rests on the relevance alone, whose meaning does not
 * depend on how many rows there are or what they hold.
 */

/** Why nothing is answered: nothing was found, or nothing that is relevant enough. */
export const ABSTAIN_CODES = ["NO_MATCH", "BELOW_THRESHOLD"] as const
export type AbstainCode = typeof ABSTAIN_CODES[number]

export interface Verdict {
  /** The highest relevance, 0 to 1; 0 when nothing was found. */
  readonly confidence: number
  /** Null when there is an answer. */
  readonly abstain: { readonly code: AbstainCode; readonly reason: string } | null
}

/**
 * Calibrated on the development conversations, with weights fitted without the conversation asked: it abstains on 1.3 % of
 * the answerable questions and on 90 % (turns) to 97 % (facts) of those taken from another conversation. A higher floor
 * (0.023) reaches 97 % and 99 % but abstains on 5 %: who knows an answer by other words should still be heard.
 */
export const DEFAULT_FLOOR = 0.015

/** Whether a memory is relevant enough to answer with; a floor of null asks nothing. */
export const isEnough = (floor: number | null, relevance: number): boolean => floor === null || relevance >= floor

/** The verdict on what was found; `degraded` names what did not answer. A floor of null never abstains. */
export const judge = (
  floor: number | null,
  relevances: ReadonlyArray<number>,
  degraded: ReadonlyArray<string>
): Verdict => {
  const confidence = relevances.reduce((best, relevance) => Math.max(best, relevance), 0)
  if (floor === null || (relevances.length > 0 && isEnough(floor, confidence))) return { confidence, abstain: null }
  const partly = degraded.length === 0 ? "" : ` Not all of the search answered: ${degraded.join(", ")}.`
  return {
    confidence,
    abstain: relevances.length === 0
      ? { code: "NO_MATCH", reason: `No memory that may be found matches the question.${partly}` }
      : {
        code: "BELOW_THRESHOLD",
        reason: `The most relevant memory has a relevance of ${
          confidence.toFixed(3)
        }, below the ${floor} that an answer needs.${partly}`
      }
  }
}
