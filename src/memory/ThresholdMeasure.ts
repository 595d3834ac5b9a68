/**
 * From the similarities of an embedder over `ThresholdBank` to its two thresholds. Cosines of two embedders cannot be
 * compared: where one puts unrelated sentences at 0.2 another puts them at 0.7, so each is measured on its own scale.
 *
 * With near pairs (a claim against its rewording, against another value, and the last two against each other), topic
 * pairs (a claim against another claim of its topic) and far pairs (claims of two groups):
 * - conflict = halfway between the 5th percentile of the near pairs and the median of the topic pairs. The first alone
 *   would miss what lies a little further apart than anything in so small a bank, and a peer that is not nominated is
 *   never compared; half of the gap is the slack. What it nominates too much, the comparison of the claims sorts out.
 * - duplicate = halfway between the 5th percentile of the rewordings and the median of the topic pairs, for the same
 *   reason: strangers reword more freely than so small a bank, and it does not decide alone either. Of 880 rewordings that
 *   had no part in the formula USE-lite puts 741 above it, against 515 above the bank's 25th percentile; none of the 1,877
 *   pairs beside them that are no rewordings is lost for it. It is never below the conflict threshold.
 * USE-lite measures 0.678 and 0.702; on 46 near pairs that had no part in choosing the formula it nominates 45.
 */
import type { BankGroup } from "./ThresholdBank.ts"
import { bank } from "./ThresholdBank.ts"

/** What was measured, as cosines. */
export interface Measured {
  /** Sentences embedded. */
  readonly sentences: number
  /** The 5th percentile and the median of the near pairs. */
  readonly near_low: number
  readonly near_median: number
  /** The 5th percentile of the rewordings. */
  readonly reworded_low: number
  readonly topic_median: number
  /** The 95th percentile of the far pairs. */
  readonly far_high: number
}

export interface ThresholdPair {
  readonly conflict: number
  readonly duplicate: number
}

const textsOf = ({ claim, otherClaim, otherValue, reworded }: BankGroup): ReadonlyArray<string> => [
  claim,
  reworded,
  otherValue,
  otherClaim
]

/** The sentences to embed, four a group, in the order that `measure` reads. */
export const sentences: ReadonlyArray<string> = bank.flatMap(textsOf)

/** The distribution of one unit vector per sentence, in the order of `sentences`; undefined when some are missing. */
export const measure = (vectors: ReadonlyArray<Float32Array>): Measured | undefined => {
  if (vectors.length !== sentences.length) return undefined
  const reworded: Array<number> = []
  const values: Array<number> = []
  const topic: Array<number> = []
  const far: Array<number> = []
  const claims: Array<Float32Array> = []
  for (let at = 0; at < vectors.length; at += 4) {
    const [claim, other, value, beside] = vectors.slice(at, at + 4)
    if (claim === undefined || other === undefined || value === undefined || beside === undefined) return undefined
    reworded.push(cosine(claim, other))
    values.push(cosine(claim, value), cosine(other, value))
    topic.push(cosine(claim, beside))
    for (const earlier of claims) far.push(cosine(earlier, claim))
    claims.push(claim)
  }
  const near = [...reworded, ...values]
  return {
    sentences: vectors.length,
    near_low: quantile(near, 0.05),
    near_median: quantile(near, 0.5),
    reworded_low: quantile(reworded, 0.05),
    topic_median: quantile(topic, 0.5),
    far_high: quantile(far, 0.95)
  }
}

/**
 * The thresholds of a distribution; undefined when it does not tell near from far (the near pairs begin below where the
 * far ones end), so that no cosine of this embedder means anything.
 */
export const thresholdsOf = (measured: Measured): ThresholdPair | undefined => {
  const { far_high, near_low, reworded_low, topic_median } = measured
  // Also false where a number is not one.
  if (!(near_low > far_high)) return undefined
  const conflict = thousandth(bounded((near_low + topic_median) / 2))
  return { conflict, duplicate: Math.max(conflict, thousandth(bounded((reworded_low + topic_median) / 2))) }
}

const bounded = (cosine: number): number => Math.min(1, Math.max(0, cosine))

// Down, so that what was measured at the threshold reaches it.
const thousandth = (cosine: number): number => Math.floor(cosine * 1000) / 1000

const cosine = (left: Float32Array, right: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < left.length; i++) sum += left[i]! * (right[i] ?? Number.NaN)
  return sum
}

/** The value below which the part `p` of the sorted values lies, linear between two neighbours. */
const quantile = (values: ReadonlyArray<number>, p: number): number => {
  const sorted = [...values].sort((left, right) => left - right)
  const place = p * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
