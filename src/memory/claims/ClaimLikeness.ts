/**
 * What two English claims have in common, in numbers: how much of either finds its like in the other, what is left over
 * and of which kind, whether one denies, counts or times what the other says otherwise, how far the wording agrees. It
 * holds no judgement; the weights are in `ClaimWeights`.
 */
import { align, type Alignment, ofOneField, type Placed, traded } from "./ClaimAlignment.ts"
import { verbLemma } from "./ClaimLexicon.ts"
import { complementary, differingValues, oppositeWords, sameDimension } from "./ClaimMatch.ts"
import type { Claim } from "./ClaimParse.ts"
import { isThin } from "./ClaimReworded.ts"
import { loneQuantifiers, ofOtherPersons, stancesOppose } from "./ClaimStance.ts"
import { saysLittle, tensesDiffer, weak } from "./ClaimThinVerbs.ts"
import { wordingOf } from "./ClaimWording.ts"
import { directed } from "./ClaimWords.ts"

export interface Likeness {
  readonly alignment: Alignment
  readonly features: Readonly<Record<string, number>>
}

const isStrong = ({ item }: Placed): boolean =>
  item.value === undefined && item.kind !== "adverb" && !isThin(item) && !weak.has(item.concept)

const counted = (words: ReadonlyArray<Placed>, holds: (word: Placed) => boolean): number =>
  words.reduce((sum, word) => sum + (holds(word) ? 1 : 0), 0)

const isName = ({ item }: Placed) => item.kind === "name"
const isValue = ({ item }: Placed) => item.value !== undefined
const isVerb = ({ item, place }: Placed) => item.kind === "verb" || place === "verb"
const temporal = /^(?:time|date|weekday|repeat|duration|months)/
const isTemporal = ({ item }: Placed) => item.value !== undefined && temporal.test(item.value.dimension)

/** Either side has such a word left over; how many meet one of the other side. */
const both = (left: ReadonlyArray<Placed>, right: ReadonlyArray<Placed>, holds: (word: Placed) => boolean): number =>
  Math.min(counted(left, holds), counted(right, holds))

const adding = /\b(?:also|too|as well|another|additionally|in addition|besides|second|other|both)\b/i
const changing =
  /\b(?:no longer|any ?more|moved|switched|changed|replaced|instead|since|now|from now on|used to|until|formerly|previously|was|were|will)\b/i
const staging =
  /\b(?:as an? (?:child|kid|adult|boy|girl|student|teenager)|before|after|during|overnight|by day|by night|in winter|in summer)\b/gi

/** "Unsupported" beside "supports": denied by its first letters. */
const prefixed = (words: ReadonlyArray<Placed>, others: ReadonlyArray<Placed>): boolean =>
  words.some(({ item }) => {
    const rest = /^(?:un|in|non|dis)-?([a-z]{4,})$/.exec(item.text.toLowerCase())?.[1]
    return rest !== undefined &&
      others.some((other) =>
        other.item.kind !== "name" && (other.item.lemma === verbLemma(rest) || other.item.text.toLowerCase() === rest)
      )
  })

const isPreposition = (place: string) => place !== "" && place !== "subject" && place !== "verb"

const plainSides: Readonly<Record<string, string>> = { into: "in", within: "in", onto: "on", upon: "on" }

const sideOf = ({ item, place }: Placed): string => {
  const side = isPreposition(place) ? place : item.side ?? ""
  return plainSides[side] ?? side
}

/** "In the hall" and "under the hall", of what is said in like places. */
const onOtherSides = (from: Placed, to: Placed): boolean => {
  const [ours, theirs] = [sideOf(from), sideOf(to)]
  return ours !== theirs && (directed.has(ours) || directed.has(theirs)) &&
    isPreposition(from.place) === isPreposition(to.place) && (from.place === "subject") === (to.place === "subject")
}

/** A number that counts other things: two cranes for one operator, one crane for two. */
const countOthers = (one: ReadonlyArray<Placed>, other: ReadonlyArray<Placed>, { pairs }: Alignment): boolean => {
  const next = (words: ReadonlyArray<Placed>, word: Placed) => {
    const after = words[words.indexOf(word) + 1]
    return after !== undefined && after.place === word.place && after.clause === word.clause ? after : undefined
  }
  return pairs.some(({ from, to }) => {
    if (from.item.value?.dimension !== "number") return false
    const [ours, theirs] = [next(one, from), next(other, to)]
    return ours !== undefined && theirs !== undefined && !pairs.some((pair) =>
      pair.from === ours && pair.to === theirs
    ) &&
      pairs.some((pair) => pair.from === ours || pair.to === theirs)
  })
}

/** The verb left over says no more than what stands beside it. */
const sayingLittle = (words: ReadonlyArray<Placed>, { frames }: Claim): boolean =>
  words.every(({ clause, item, place }) => place !== "verb" || saysLittle(item, frames[clause]!))

export const likenessOf = (stored: Claim, written: Claim, similarity: number): Likeness => {
  const [ours, theirs] = [stored.words, written.words]
  const alignment = align(ours, theirs)
  const { left, pairs, right } = alignment
  const [one, other] = [stored.frames[0], written.frames[0]]
  const items = (words: ReadonlyArray<Placed>) => words.map(({ item }) => item)
  const values = differingValues(items(left), items(right))
  const valuePairs = counted(left, ({ item }) =>
    item.value !== undefined &&
    right.some((to) => to.item.value !== undefined && sameDimension(to.item.value.dimension, item.value!.dimension)))
  const opposite = oppositeWords(items(left), items(right))
  const [ourStance, theirStance] = [stored.stance, written.stance]
  const denied = prefixed(left, right) || prefixed(right, left)
  const opposed = (ourStance.denials + theirStance.denials + (denied ? 1 : 0)) % 2
  const lone = loneQuantifiers(ourStance, theirStance)
  const strong = { left: left.filter(isStrong), right: right.filter(isStrong) }
  const thin = { left: left.length - strong.left.length, right: right.length - strong.right.length }
  const kinds = (holds: (word: Placed) => boolean) => both(strong.left, strong.right, holds)
  const fielded = (kind: string, same: boolean) =>
    counted(strong.left, (from) =>
        from.item.kind === kind &&
        strong.right.some((to) => to.item.kind === kind && ofOneField(from.item, to.item) === same)) > 0 ?
      1 :
      0
  const slots = counted(left, (from) => right.some((to) => to.place === from.place))
  const heads = counted(left, (word) => word.head && word.place === "subject") > 0 &&
    counted(right, (word) => word.head && word.place === "subject") > 0
  const subjects = (words: ReadonlyArray<Placed>) =>
    words.filter(({ clause, place }) => clause === 0 && place === "subject")
  const metSubject = pairs.some(({ from, to }) =>
    from.clause === 0 && to.clause === 0 && from.place === "subject" && to.place === "subject" && (from.head || to.head)
  )
  const crossed = pairs.some(({ from, to }) =>
    (from.place === "subject") !== (to.place === "subject") && (from.head || to.head)
  )
  const loneSubject = (words: ReadonlyArray<Placed>, lone: ReadonlyArray<Placed>) => {
    const all = subjects(words)
    return all.length === 0 ? 0 : counted(all, (word) => lone.includes(word)) / all.length
  }
  const otherSides = pairs.filter(({ from, to }) => onOtherSides(from, to)).length
  const turnedSides = counted(pairs.map(({ from }) => from), (from) => {
    const to = pairs.find((pair) => pair.from === from)!.to
    return directed.has(from.place) && directed.has(to.place) && from.place !== to.place
  })
  const { added, filled, frame, lengths, like: likeWording, shared } = wordingOf(stored.text, written.text)
  const weights = pairs.reduce((sum, { grade }) => sum + grade / 3, 0)
  const covered = (words: ReadonlyArray<Placed>, rest: ReadonlyArray<Placed>) =>
    words.length === 0 ? 0 : 1 - rest.length / words.length
  const [coverOurs, coverTheirs] = [covered(ours, left), covered(theirs, right)]
  const clusters = Math.min(left.length, right.length)
  const stages = (text: string) => (text.match(staging) ?? []).map((word) => word.toLowerCase()).sort().join(" ")
  const verbs = { left: left.some((w) => w.place === "verb"), right: right.some((w) => w.place === "verb") }
  const inSubject = (words: ReadonlyArray<Placed>, holds: (word: Placed) => boolean) =>
    words.some((word) => word.place === "subject" && holds(word))
  const subjectValues = inSubject(left, isValue) && inSubject(right, isValue)
  const subjectNames = inSubject(left, isName) && inSubject(right, isName)
  // Who mentors and who is mentored: the middle of a chain stands in both.
  const behindOne = (words: ReadonlyArray<Placed>) => words.some((word) => isName(word) && word.place !== "subject")
  const chained = crossed &&
    (inSubject(left, isName) && behindOne(right) || inSubject(right, isName) && behindOne(left))
  const adjectives = both(left, right, ({ item }) => item.kind === "adjective")
  const differing = (values === undefined ? 0 : valuePairs) + (opposite === undefined ? 0 : 1) +
    both(left, right, isName) + fielded("noun", true) + Math.min(1, turnedSides) +
    (opposite === undefined ? Math.min(1, adjectives) : 0)
  // Pairs of leftovers in like places that are no value and no opposites: what the two are said of.
  const fillings = counted(
    left,
    (from) =>
      from.item.value === undefined && from.item !== opposite?.from && from.item.kind !== "verb" &&
      from.place !== "verb" &&
      right.some((to) =>
        to.item.value === undefined && to.item !== opposite?.to && to.place === from.place && to.item.kind !== "verb" &&
        to.place !== "verb"
      )
  )
  const features = {
    cosine: similarity,
    cosine2: similarity * similarity,
    covered: Math.min(coverOurs, coverTheirs),
    coveredMost: Math.max(coverOurs, coverTheirs),
    shared: Math.min(weights, 8) / 8,
    sharedNames: Math.min(2, counted(pairs.map(({ from }) => from), isName)),
    sharedValues: Math.min(2, counted(pairs.map(({ from }) => from), isValue)),
    sharedVerb: pairs.some(({ from, to }) => from.place === "verb" && to.place === "verb") ? 1 : 0,
    nearPairs: Math.min(
      3,
      counted(pairs.map(({ grade, from }) => ({ ...from, head: grade === 1 })), ({ head }) => head)
    ),
    synonymPairs: Math.min(3, pairs.filter(({ grade }) => grade === 2).length),
    strongBoth: Math.min(3, Math.min(strong.left.length, strong.right.length)),
    strongMore: Math.min(4, Math.abs(strong.left.length - strong.right.length)),
    strongNone: strong.left.length + strong.right.length === 0 ? 1 : 0,
    strongOne: strong.left.length > 0 !== strong.right.length > 0 ? 1 : 0,
    thinBoth: Math.min(2, Math.min(thin.left, thin.right)),
    thinMore: Math.min(3, Math.abs(thin.left - thin.right)),
    namesBoth: Math.min(2, kinds(isName)),
    namesOne: counted(left, isName) > 0 !== counted(right, isName) > 0 ? 1 : 0,
    valueDiffers: values === undefined ? 0 : 1,
    valuePairs: Math.min(3, valuePairs),
    valueOne: counted(left, isValue) > 0 !== counted(right, isValue) > 0 ? 1 : 0,
    onlyValues: values !== undefined && left.every(isValue) && right.every(isValue) && valuePairs === 1 ? 1 : 0,
    valueAndStrong: values !== undefined && strong.left.length > 0 && strong.right.length > 0 ? 1 : 0,
    timeAndMore: both(left, right, isTemporal) > 0 && clusters > 1 ? 1 : 0,
    opposite: opposite === undefined ? 0 : 1,
    complementary: opposite !== undefined && complementary(opposite.from, opposite.to) ? 1 : 0,
    oppositeAndStrong: opposite !== undefined && strong.left.length > 1 && strong.right.length > 1 ? 1 : 0,
    opposed,
    opposedCovered: opposed * Math.min(coverOurs, coverTheirs),
    opposedLone: opposed === 1 && strong.left.length > 0 && strong.right.length > 0 ? 1 : 0,
    // Allowed on one terrace and not on the other; closed here and open there.
    opposedFilled: opposed === 1 && fillings > 0 ? likeWording : 0,
    oppositeFilled: opposite !== undefined && opposed === 0 && fillings > 0 ? likeWording : 0,
    valueFilled: values !== undefined && fillings > 0 ? likeWording : 0,
    oppositeOpposed: opposed === 1 && opposite !== undefined ? 1 : 0,
    quantifierLone: Math.min(2, lone.length),
    quantifierOpposed: stancesOppose(ourStance, theirStance) ? 1 : 0,
    // "Each crate", "a crate": said of all where nothing says otherwise.
    otherPersons: ofOtherPersons(ourStance, theirStance) ? 1 : 0,
    countOthers: countOthers(ours, theirs, alignment) ? 1 : 0,
    loneValues: counted(left, isValue) + counted(right, isValue) > 0 ? 1 : 0,
    loneStrong: strong.left.length + strong.right.length > 0 ? 1 : 0,
    counted: lone.some((name) => name !== "all") ? 1 : 0,
    tense: one !== undefined && other !== undefined && tensesDiffer(one, other) ? 1 : 0,
    nounsOneField: fielded("noun", true),
    nounsOtherField: fielded("noun", false),
    adjectives: both(left, right, ({ item }) => item.kind === "adjective") > 0 ? 1 : 0,
    verbsBoth: both(left, right, isVerb) > 0 ? 1 : 0,
    mainVerbs: verbs.left && verbs.right ? 1 : 0,
    otherVerbs: verbs.left && verbs.right && !(sayingLittle(left, stored) && sayingLittle(right, written)) ? 1 : 0,
    mainVerbOne: verbs.left !== verbs.right ? 1 : 0,
    sameVerbWord: one !== undefined && other !== undefined && one.verb === other.verb ? 1 : 0,
    slots: Math.min(3, slots),
    oneSlot: clusters === 1 && slots >= 1 ? 1 : 0,
    loneHeads: heads ? 1 : 0,
    metSubject: metSubject ? 1 : 0,
    crossed: crossed ? 1 : 0,
    loneSubjects: Math.min(loneSubject(ours, left), loneSubject(theirs, right)),
    loneSubjectMost: Math.max(loneSubject(ours, left), loneSubject(theirs, right)),
    parts: [...left, ...right].some(({ item }) => item.part === true) ? 1 : 0,
    traded: Math.min(2, traded(ours, theirs, alignment)),
    turnedSides: Math.min(1, turnedSides),
    otherSides: Math.min(1, otherSides),
    template: frame,
    filledOnce: filled === 1 && added === 0 ? 1 : 0,
    filledTwice: filled >= 2 && added === 0 ? 1 : 0,
    filledTwiceAlike: filled >= 2 && added === 0 && likeWording >= 0.5 ? 1 : 0,
    retold: 1 - likeWording,
    retoldTwo: clusters >= 2 ? 1 - likeWording : 0,
    likeTwo: clusters >= 2 ? likeWording : 0,
    valueLike: values === undefined ? 0 : likeWording,
    valueLikeTwo: values !== undefined && clusters >= 2 ? likeWording : 0,
    valueScope: values !== undefined && turnedSides > 0 ? 1 : 0,
    subjectValues: subjectValues ? 1 : 0,
    subjectNames: subjectNames ? 1 : 0,
    chained: chained ? 1 : 0,
    slotsDiffer: Math.min(4, differing),
    slotsDifferMore: differing >= 2 ? likeWording : 0,
    like: likeWording,
    wordsShared: shared,
    length: lengths[0] / Math.max(1, lengths[1]),
    words: Math.min(30, lengths[0] + lengths[1]) / 30,
    clauses: stored.frames.length > 1 || written.frames.length > 1 ? 1 : 0,
    adds: adding.test(stored.text) !== adding.test(written.text) ? 1 : 0,
    changes: changing.test(stored.text) !== changing.test(written.text) ? 1 : 0,
    stages: stages(stored.text) !== stages(written.text) ? 1 : 0
  }
  return { alignment, features }
}
