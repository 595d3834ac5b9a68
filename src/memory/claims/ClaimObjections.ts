/**
 * What speaks against calling two claims the same however alike their words are: anything that carries a difference of its
 * own. Some of it only rewording has in common with another claim, and a model that is as good as sure may go past it; the
 * rest is final, so that no model can lose what grammar keeps apart.
 */
import type { Alignment, Pairing, Placed } from "./ClaimAlignment.ts"
import type { Frame } from "./ClaimFrame.ts"
import { isStrong, isValue } from "./ClaimLeftovers.ts"
import type { Likeness } from "./ClaimLikeness.ts"
import type { Claim } from "./ClaimParse.ts"
import { loneQuantifiers, ofOtherPersons } from "./ClaimStance.ts"
import { saysLittle } from "./ClaimThinVerbs.ts"
import { directed } from "./ClaimWords.ts"

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

/** A thing that belongs to what the other is about: the API key and the API, a timeout warning and a timeout. */
const isBelonging = (
  lone: ReadonlyArray<Placed>,
  words: ReadonlyArray<Placed>,
  pairs: ReadonlyArray<readonly [here: Placed, there: Placed]>
): boolean =>
  lone.some((word) => {
    const before = words[words.indexOf(word) - 1]
    return word.head && word.item.kind === "noun" && isStrong(word) && before !== undefined &&
      before.place === word.place && before.clause === word.clause && before.item.kind !== "adjective" &&
      pairs.some(([here, there]) => here === before && there.head)
  })

const counting = new Set(["number", "percent"])

/** A number that counts other things: two cranes for one operator, one crane for two. */
const countsOthers = (one: ReadonlyArray<Placed>, other: ReadonlyArray<Placed>, { pairs }: Alignment): boolean => {
  const next = (words: ReadonlyArray<Placed>, word: Placed) => {
    const after = words[words.indexOf(word) + 1]
    return after !== undefined && after.place === word.place && after.clause === word.clause ? after : undefined
  }
  return pairs.some(({ from, to }) => {
    if (!counting.has(from.item.value?.dimension ?? "")) return false
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

/** What is done in both is done in one of them to a thing that the other does not name. */
const addsObject = (words: ReadonlyArray<Placed>, { pairs }: Alignment, side: (pair: Pairing) => Placed): boolean =>
  words.some((word) =>
    word.place === "" && word.item.kind === "noun" && isStrong(word) &&
    pairs.some((pair) => side(pair).place === "verb" && side(pair).clause === word.clause)
  )

/** The verb left over says no more than what stands beside it. */
const sayingLittle = (words: ReadonlyArray<Placed>, { frames }: Claim): boolean =>
  words.every(({ clause, item, place }) => place !== "verb" || saysLittle(item, frames[clause]!))

const hasVerb = (words: ReadonlyArray<Placed>) => words.some(({ place }) => place === "verb")

/** What speaks against calling two claims the same. */
export interface Objection {
  /** In words; also its name among the features of the last word. */
  readonly what: string
  /** Stands however likely the two are the same; the others are raised by rewording too and can be outweighed. */
  readonly final: boolean
}

const final = (what: string): Objection => ({ what, final: true })
const weighed = (what: string): Objection => ({ what, final: false })

/** Features of which any above zero is a difference, and what it is. */
const differences: ReadonlyArray<readonly [feature: string, objection: Objection]> = [
  ["opposed", weighed("one denies")],
  ["opposite", final("opposites")],
  ["oppositeOpposed", final("a denied opposite")],
  ["namesOne", final("a name that one lacks")],
  ["parts", final("another key")],
  ["traded", final("other roles")],
  ["tense", weighed("another time")],
  ["quantifierOpposed", final("another quantity")],
  ["adjectives", final("two qualities")]
]

/** All that speaks against it; empty where nothing does. */
export const objectionsTo = (stored: Claim, written: Claim, likeness: Likeness): ReadonlyArray<Objection> => {
  const { alignment, features } = likeness
  const { left, pairs, right } = alignment
  const lone = [...left, ...right]
  const found: Array<Objection> = []
  const object = (holds: boolean, objection: Objection) => {
    if (holds) found.push(objection)
  }
  object(stored.long || written.long || stored.signs !== written.signs, final("more than words"))
  for (const [feature, objection] of differences) object((features[feature] ?? 0) > 0, objection)
  object((features["tense"] ?? 0) > 0 && (features["sharedVerb"] ?? 0) > 0, final("the same at another time"))
  object(lone.some(isValue), weighed("a value that one lacks"))
  object(lone.some(isStrong), weighed("a word of its own"))
  object(
    addsObject(left, alignment, ({ from }) => from) || addsObject(right, alignment, ({ to }) => to),
    final("an object")
  )
  object(
    isBelonging(left, stored.words, pairs.map(({ from, to }) => [from, to] as const)) ||
      isBelonging(right, written.words, pairs.map(({ from, to }) => [to, from] as const)),
    final("what belongs to it")
  )
  object(lone.some(({ item }) => hedges.has(item.lemma) || hedges.has(item.concept)), final("one is not sure"))
  object(
    hasVerb(left) && hasVerb(right) && !(sayingLittle(left, stored) && sayingLittle(right, written)),
    weighed("two verbs")
  )
  // "Each crate", "a crate": said of all where nothing says otherwise.
  const qualified = loneQuantifiers(stored.stance, written.stance).filter((name) => name !== "all").length
  object(qualified > 0, weighed("a qualification"))
  object(qualified > 1, final("two qualifications"))
  object(ofOtherPersons(stored.stance, written.stance), final("another person"))
  object(pairs.some(onOtherSides), weighed("other directions"))
  object(countsOthers(stored.words, written.words, alignment), final("another count"))
  object(isHeadMoved(alignment, stored.frames[0], written.frames[0]), weighed("another head"))
  object(isFilled(likeness), final("words that are only near"))
  return found
}

/** In one template another word is meant to be another word. */
const isFilled = ({ alignment, wording }: Likeness): boolean =>
  wording.filled > 0 && wording.added === 0 && alignment.pairs.some(({ grade }) => grade === 1)
