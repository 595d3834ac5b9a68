/**
 * What forbids calling two claims the same however alike their words are: anything that carries a difference of its own.
 * A model that weighs words may only choose where nothing here speaks, so that it cannot lose what grammar keeps apart.
 */
import type { Alignment, Pairing, Placed } from "./ClaimAlignment.ts"
import { doubtOf } from "./ClaimDoubt.ts"
import type { Frame } from "./ClaimFrame.ts"
import { isStrong, isValue } from "./ClaimLeftovers.ts"
import type { Likeness } from "./ClaimLikeness.ts"
import type { Claim } from "./ClaimParse.ts"
import { loneQuantifiers, ofOtherPersons } from "./ClaimStance.ts"
import { saysLittle } from "./ClaimThinVerbs.ts"
import { directed } from "./ClaimWords.ts"

/** Features of which any above zero is a difference, and what it is. */
const differences: ReadonlyArray<readonly [feature: string, difference: string]> = [
  ["opposed", "one denies"],
  ["opposite", "opposites"],
  ["namesOne", "a name that one lacks"],
  ["parts", "another key"],
  ["traded", "other roles"],
  ["tense", "another time"],
  ["quantifierOpposed", "another quantity"],
  ["adjectives", "two qualities"]
]

// What is said to be, planned or tried is not yet so.
const hedges = new Set(
  "say think believe claim suppose seem appear expect plan hope want wish try intend promise aim agree offer decide ask"
    .split(" ")
)

const conditions = new Set("if when whenever unless because while before after".split(" "))
const plainSides: Readonly<Record<string, string>> = { into: "in", within: "in", onto: "on", upon: "on" }

const isPreposition = (place: string) => place !== "" && place !== "subject" && place !== "verb"

const sideOf = ({ item, place }: Placed): string => {
  const side = isPreposition(place) ? place : item.side ?? ""
  return plainSides[side] ?? side
}

/** "In the hall" and "under the hall", of what is said in like places; what is asked and what it is asked for. */
const onOtherSides = ({ from, to }: Pairing): boolean => {
  const [ours, theirs] = [sideOf(from), sideOf(to)]
  if (conditions.has(from.place) !== conditions.has(to.place)) return true
  return ours !== theirs && (directed.has(ours) || directed.has(theirs)) &&
    isPreposition(from.place) === isPreposition(to.place) && (from.place === "subject") === (to.place === "subject")
}

/** A number that counts other things: two cranes for one operator, one crane for two. */
const countsOthers = (one: ReadonlyArray<Placed>, other: ReadonlyArray<Placed>, { pairs }: Alignment): boolean => {
  const next = (words: ReadonlyArray<Placed>, word: Placed) => {
    const after = words[words.indexOf(word) + 1]
    return after !== undefined && after.place === word.place && after.clause === word.clause ? after : undefined
  }
  return pairs.some(({ from, to }) => {
    if (from.item.value?.dimension !== "number") return false
    const [ours, theirs] = [next(one, from), next(other, to)]
    return ours !== undefined && theirs !== undefined &&
      pairs.some((pair) => (pair.from === ours) !== (pair.to === theirs))
  })
}

/** Who leaves in one claim is left in the other: the same verb, in the same voice, of another head. */
const isHeadMoved = ({ pairs }: Alignment, one: Frame | undefined, other: Frame | undefined): boolean =>
  one !== undefined && other !== undefined && one.passive === other.passive && !one.command && !other.command &&
  pairs.some(({ from, to }) => from.place === "verb" && to.place === "verb") &&
  pairs.some(({ from, to }) =>
    from.item.value === undefined &&
    (from.place === "subject" && from.head && to.place !== "subject" ||
      to.place === "subject" && to.head && from.place !== "subject")
  )

/** The verb left over says no more than what stands beside it. */
const sayingLittle = (words: ReadonlyArray<Placed>, { frames }: Claim): boolean =>
  words.every(({ clause, item, place }) => place !== "verb" || saysLittle(item, frames[clause]!))

const hasVerb = (words: ReadonlyArray<Placed>) => words.some(({ place }) => place === "verb")

/** The first difference of its own, or undefined. */
export const objectionTo = (stored: Claim, written: Claim, { alignment, features, wording }: Likeness) => {
  if (stored.long || written.long || stored.signs !== written.signs) return "more than words"
  const different = differences.find(([feature]) => (features[feature] ?? 0) > 0)
  if (different !== undefined) return different[1]
  const { left, pairs, right } = alignment
  const lone = [...left, ...right]
  if (lone.some(isValue)) return "a value that one lacks"
  if (lone.some(isStrong)) return "a word of its own"
  if (lone.some(({ item }) => hedges.has(item.lemma) || hedges.has(item.concept))) return "one is not sure"
  if (hasVerb(left) && hasVerb(right) && !(sayingLittle(left, stored) && sayingLittle(right, written))) {
    return "two verbs"
  }
  // "Each crate", "a crate": said of all where nothing says otherwise.
  if (loneQuantifiers(stored.stance, written.stance).some((name) => name !== "all")) return "a qualification"
  if (ofOtherPersons(stored.stance, written.stance)) return "another person"
  if (pairs.some(onOtherSides)) return "other directions"
  if (countsOthers(stored.words, written.words, alignment)) return "another count"
  if (isHeadMoved(alignment, stored.frames[0], written.frames[0])) return "other roles"
  // In one template another word is meant to be another word.
  if (wording.filled > 0 && wording.added === 0 && pairs.some(({ grade }) => grade === 1)) {
    return "words that are only near"
  }
  return doubtOf(stored.text, written.text)
}
