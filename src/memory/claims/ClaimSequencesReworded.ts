/**
 * Claims of other languages whose words stand in another order or form: a common stem counts as the same word here, so
 * that a denial, an opposite or another number is seen behind an inflection. It only ever finds a conflict, never
 * sameness, and never between two fillings of one template, which differ word for word in the same places.
 */
import { opposes } from "./ClaimAntonyms.ts"
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { sameDimension } from "./ClaimMatch.ts"
import { ruleOf } from "./ClaimObjects.ts"
import type { Part, Sequence } from "./ClaimSequence.ts"
import { opposesAbroad } from "./ClaimWordsAbroad.ts"

// Four letters, and most of the longer word: shorter beginnings are shared by chance.
const shortestStem = 4
const stemShare = 0.55

const commonLetters = (one: string, other: string): number => {
  let i = 0
  while (i < one.length && i < other.length && one[i] === other[i]) i++
  return i
}

/** One word in two forms. A Korean syllable is a letter group of its own: two are as much as four letters. */
const oneStem = (one: string, other: string): boolean => {
  const common = commonLetters(one, other)
  const least = /^\p{Script=Hangul}/u.test(one) ? 2 : shortestStem
  return common >= least && common >= Math.max(one.length, other.length) * stemShare
}

// Beyond this the pairing would cost more than a short claim is worth.
const mostPaired = 24

/** What of both is left once words of one stem are paired off. */
const withoutStems = (left: ReadonlyArray<Part>, right: ReadonlyArray<Part>) => {
  const rest = [...right]
  const lone = left.filter((part) => {
    const at = part.value === undefined
      ? rest.findIndex((other) => other.value === undefined && oneStem(part.concept, other.concept))
      : -1
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return { ours: lone, theirs: rest }
}

const isName = ({ text, value }: Part): boolean => value === undefined && /^\p{Lu}/u.test(text)

/** Word for word the same, other words in the same places. */
const isTemplate = (one: ReadonlyArray<Part>, other: ReadonlyArray<Part>): boolean => {
  if (one.length !== other.length) return false
  const same = one.filter((part, i) => part.concept === other[i]!.concept).length
  return one.some((part, i) => part.value === undefined && part.concept !== other[i]!.concept) && same * 2 >= one.length
}

/** The conflict of two claims whose words agree in stem, or undefined. */
export const compareStems = (
  one: Sequence,
  other: Sequence,
  left: ReadonlyArray<Part>,
  right: ReadonlyArray<Part>,
  unspaced: boolean
): Comparison | undefined => {
  if (left.length > mostPaired || right.length > mostPaired) return undefined
  const { ours, theirs } = unspaced ? { ours: left, theirs: right } : withoutStems(left, right)
  const shorter = Math.min(one.parts.length, other.parts.length)
  // All else equal, two opposites are no filling of a template.
  const opposites = ours.length === 1 && theirs.length === 1 && opposesAbroad(ours[0]!.concept, theirs[0]!.concept)
  if (!opposites && isTemplate(one.parts, other.parts)) return undefined
  const ratio = (one.parts.length - ours.length) / Math.max(1, shorter)
  if (ratio < 0.5) return undefined
  // A German noun has a capital too: one word over is allowed for.
  const names = (parts: ReadonlyArray<Part>, all: Sequence) =>
    parts.filter((part) => isName(part) && part !== all.parts[0])
  if (!unspaced && names(ours, one).length > 0 && names(theirs, other).length > 0) return undefined
  if (unspaced && one.parts.slice(0, 2).some(({ concept }, i) => other.parts[i]?.concept !== concept)) return undefined
  const words = (parts: ReadonlyArray<Part>) => parts.filter(({ value }) => value === undefined)
  const opposed = (one.denials + other.denials) % 2 === 1
  for (const from of words(ours)) {
    for (const to of words(theirs)) {
      if (opposesAbroad(from.concept, to.concept) || opposes(from.concept, to.concept)) {
        return opposed ? undefined : answer("differs", "antonym", `Opposites: ${against(from.text, to.text)}.`)
      }
    }
  }
  const pairs = ours.flatMap((from) =>
    from.value === undefined ?
      [] :
      theirs.flatMap((to) =>
        to.value !== undefined && sameDimension(from.value!.dimension, to.value.dimension) ? [{ from, to }] : []
      )
  )
  const least = Math.min(words(ours).length, words(theirs).length)
  const pair = pairs[0]
  if (pair !== undefined) {
    return !opposed && pairs.length === 1 && least <= (unspaced ? 4 : 1)
      ? answer(
        "differs",
        ruleOf(pair.from.value!.dimension),
        `They differ in ${against(pair.from.text, pair.to.text)}.`
      )
      : undefined
  }
  return opposed && least <= (unspaced ? 3 : 1) && ratio >= 0.6
    ? answer("differs", "negation", "One denies what the other says.")
    : undefined
}
