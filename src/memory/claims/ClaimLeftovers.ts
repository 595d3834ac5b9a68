/**
 * What two claims do not share, in numbers: how many words are left over on either side, of which kinds, whether they could
 * be two answers to one question (values of one dimension, opposites, names, things of one kind), and where they stand.
 */
import { type Alignment, ofOneField, type Placed } from "./ClaimAlignment.ts"
import { complementary, differingValues, oppositeWords, type Pair, sameDimension } from "./ClaimMatch.ts"
import { isThin } from "./ClaimReworded.ts"
import { weak } from "./ClaimThinVerbs.ts"

type Words = ReadonlyArray<Placed>
type Holds = (word: Placed) => boolean

export const isName: Holds = ({ item }) => item.kind === "name"
export const isValue: Holds = ({ item }) => item.value !== undefined
const isVerb: Holds = ({ item, place }) => item.kind === "verb" || place === "verb"
const isAdjective: Holds = ({ item }) => item.kind === "adjective"
const temporal = /^(?:time|date|weekday|repeat|duration|months)/
const isTemporal: Holds = ({ item }) => item.value !== undefined && temporal.test(item.value.dimension)
const isSubject: Holds = ({ place }) => place === "subject"

/** A word with a meaning of its own, which a claim is another one for having. */
export const isStrong: Holds = ({ item }) =>
  item.value === undefined && item.kind !== "adverb" && !isThin(item) && !weak.has(item.concept)

export const counted = (words: Words, holds: Holds): number => {
  let count = 0
  for (const word of words) if (holds(word)) count++
  return count
}

/** How many of either side meet one of the other. */
const both = (left: Words, right: Words, holds: Holds): number => Math.min(counted(left, holds), counted(right, holds))
const oneSided = (left: Words, right: Words, holds: Holds): boolean => left.some(holds) !== right.some(holds)
export const flag = (is: boolean): number => is ? 1 : 0

export interface Leftovers {
  readonly opposite: Pair | undefined
  readonly values: Pair | undefined
  /** Words of both in like places that are no values, verbs or opposites: what the two are said of. */
  readonly fillings: number
  readonly features: Readonly<Record<string, number>>
}

export const leftoversOf = ({ left, right }: Alignment): Leftovers => {
  const [ours, theirs] = [left.map(({ item }) => item), right.map(({ item }) => item)]
  const values = differingValues(ours, theirs)
  const valuePairs = values === undefined ?
    0 :
    ours.filter(({ value }) =>
      value !== undefined &&
      theirs.some((item) => item.value !== undefined && sameDimension(item.value.dimension, value.dimension))
    ).length
  const opposite = oppositeWords(ours, theirs)
  const [strong, others] = [left.filter(isStrong), right.filter(isStrong)]
  const [thin, thinOthers] = [left.length - strong.length, right.length - others.length]
  const inPlace = (is: Holds) => (from: Placed) => is(from) && right.some((to) => to.place === from.place && is(to))
  const isFilling: Holds = (word) =>
    !isValue(word) && !isVerb(word) && word.item !== opposite?.from && word.item !== opposite?.to
  const fillings = counted(left, inPlace(isFilling))
  const kindred = (kind: string, same: boolean) =>
    strong.some(({ item }) =>
      item.kind === kind && others.some((to) => to.item.kind === kind && ofOneField(item, to.item) === same)
    )
  const siblings = flag(kindred("noun", true))
  const adjectives = Math.min(1, both(left, right, isAdjective))
  const clusters = Math.min(left.length, right.length)
  const slots = counted(left, inPlace(() => true))
  const [ourVerb, theirVerb] = [left, right].map((words) => words.some(({ place }) => place === "verb"))
  const inSubject = (holds: Holds) => (words: Words) => words.some((word) => isSubject(word) && holds(word))
  const subjects = (holds: Holds) => flag(inSubject(holds)(left) && inSubject(holds)(right))
  const features = {
    strongBoth: Math.min(3, strong.length, others.length),
    strongMore: Math.min(4, Math.abs(strong.length - others.length)),
    strongNone: flag(strong.length + others.length === 0),
    strongOne: flag(strong.length > 0 !== others.length > 0),
    thinBoth: Math.min(2, thin, thinOthers),
    thinMore: Math.min(3, Math.abs(thin - thinOthers)),
    namesBoth: Math.min(2, both(strong, others, isName)),
    namesOne: flag(oneSided(left, right, isName)),
    valueDiffers: flag(values !== undefined),
    valuePairs: Math.min(3, valuePairs),
    valueOne: flag(oneSided(left, right, isValue)),
    onlyValues: flag(valuePairs === 1 && left.every(isValue) && right.every(isValue)),
    valueAndStrong: flag(values !== undefined && strong.length > 0 && others.length > 0),
    timeAndMore: flag(clusters > 1 && both(left, right, isTemporal) > 0),
    opposite: flag(opposite !== undefined),
    complementary: flag(opposite !== undefined && complementary(opposite.from, opposite.to)),
    oppositeAndStrong: flag(opposite !== undefined && strong.length > 1 && others.length > 1),
    nounsOneField: siblings,
    nounsOtherField: flag(kindred("noun", false)),
    adjectives,
    verbsBoth: Math.min(1, both(left, right, isVerb)),
    mainVerbs: flag(ourVerb === true && theirVerb === true),
    mainVerbOne: flag(ourVerb !== theirVerb),
    slots: Math.min(3, slots),
    oneSlot: flag(clusters === 1 && slots >= 1),
    loneHeads: subjects(({ head }) => head),
    subjectValues: subjects(isValue),
    subjectNames: subjects(isName),
    parts: flag([...left, ...right].some(({ item }) => item.part === true)),
    slotsDiffer: Math.min(
      4,
      valuePairs + flag(opposite !== undefined) + both(left, right, isName) + siblings +
        (opposite === undefined ? adjectives : 0)
    )
  }
  return { opposite, values, fillings, features }
}

/** Who mentors and who is mentored: the middle of a chain stands in both, the ends in one each. */
export const isChain = ({ left, right }: Alignment): boolean => {
  const ends = (begin: Words, end: Words) =>
    begin.some((word) => isName(word) && isSubject(word)) && end.some((word) => isName(word) && !isSubject(word))
  return ends(left, right) || ends(right, left)
}
