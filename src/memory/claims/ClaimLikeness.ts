/**
 * What two English claims have in common, in numbers: how much of either finds its like in the other, what is left over,
 * whether one denies, counts or times what the other says otherwise, how far the wording agrees. It holds no judgement;
 * the weights are in `ClaimWeights`.
 */
import { align, type Alignment, type Pairing, type Placed, traded } from "./ClaimAlignment.ts"
import { counted, flag, isChain, isName, isValue, type Leftovers, leftoversOf } from "./ClaimLeftovers.ts"
import { verbLemma } from "./ClaimLexicon.ts"
import type { Claim } from "./ClaimParse.ts"
import { loneQuantifiers, stancesOppose } from "./ClaimStance.ts"
import { tensesDiffer } from "./ClaimThinVerbs.ts"
import { type Wording, wordingOf } from "./ClaimWording.ts"
import { directed } from "./ClaimWords.ts"

export interface Likeness {
  readonly alignment: Alignment
  readonly wording: Wording
  readonly opposed: boolean
  readonly features: Readonly<Record<string, number>>
}

/** "Unsupported" beside "supports": denied by its first letters. */
const isPrefixed = (words: ReadonlyArray<Placed>, others: ReadonlyArray<Placed>): boolean =>
  words.some(({ item }) => {
    const rest = /^(?:un|in|non|dis)-?([a-z]{4,})$/.exec(item.text.toLowerCase())?.[1]
    return rest !== undefined &&
      others.some((other) =>
        other.item.kind !== "name" && (other.item.lemma === verbLemma(rest) || other.item.text.toLowerCase() === rest)
      )
  })

const covered = (words: ReadonlyArray<Placed>, rest: ReadonlyArray<Placed>) =>
  words.length === 0 ? 0 : 1 - rest.length / words.length

export const likenessOf = (stored: Claim, written: Claim, similarity: number): Likeness => {
  const [ours, theirs] = [stored.words, written.words]
  const alignment = align(ours, theirs)
  const { left, right } = alignment
  const leftovers = leftoversOf(alignment)
  const wording = wordingOf(stored.worded, written.worded)
  const denied = isPrefixed(left, right) || isPrefixed(right, left)
  const opposed = (stored.stance.denials + written.stance.denials + flag(denied)) % 2 === 1
  const coverage = [covered(ours, left), covered(theirs, right)] as const
  const turnedSides = alignment.pairs.some(({ from, to }) =>
    directed.has(from.place) && directed.has(to.place) && from.place !== to.place
  )
  const features = {
    cosine: similarity,
    cosine2: similarity * similarity,
    covered: Math.min(...coverage),
    coveredMost: Math.max(...coverage),
    ...leftovers.features,
    ...sharedIn(alignment),
    ...placesIn(ours, theirs, alignment),
    turnedSides: flag(turnedSides),
    ...stances(stored, written, leftovers, opposed, wording, Math.min(...coverage)),
    ...wordings(wording, leftovers, Math.min(left.length, right.length)),
    valueScope: flag(leftovers.values !== undefined && turnedSides),
    clauses: flag(stored.frames.length > 1 || written.frames.length > 1),
    adds: flag(stored.worded.adds !== written.worded.adds),
    changes: flag(stored.worded.changes !== written.worded.changes),
    stages: flag(stored.worded.stages !== written.worded.stages)
  }
  return { alignment, wording, opposed, features }
}

const sharedIn = ({ pairs }: Alignment) => {
  const shared = pairs.map(({ from }) => from)
  const graded = (wanted: number) => pairs.filter(({ grade }) => grade === wanted).length
  return {
    shared: Math.min(8, pairs.reduce((sum, { grade }) => sum + grade / 3, 0)) / 8,
    sharedNames: Math.min(2, counted(shared, isName)),
    sharedValues: Math.min(2, counted(shared, isValue)),
    sharedVerb: flag(pairs.some(({ from, to }) => from.place === "verb" && to.place === "verb")),
    nearPairs: Math.min(3, graded(1)),
    synonymPairs: Math.min(3, graded(2))
  }
}

/** The share of what the first clause is about that the other claim lacks. */
const loneSubject = (words: ReadonlyArray<Placed>, lone: ReadonlyArray<Placed>): number => {
  const all = words.filter(({ clause, place }) => clause === 0 && place === "subject")
  return all.length === 0 ? 0 : counted(all, (word) => lone.includes(word)) / all.length
}

const placesIn = (ours: ReadonlyArray<Placed>, theirs: ReadonlyArray<Placed>, alignment: Alignment) => {
  const { left, pairs, right } = alignment
  const heads = pairs.filter(({ from, to }) => from.head || to.head)
  const subjects = ({ from, to }: Pairing) => flag(from.place === "subject") + flag(to.place === "subject")
  const lone = [loneSubject(ours, left), loneSubject(theirs, right)] as const
  const crossed = heads.some((pairing) => subjects(pairing) === 1)
  return {
    metSubject: flag(
      heads.some((pairing) => subjects(pairing) === 2 && pairing.from.clause === 0 && pairing.to.clause === 0)
    ),
    crossed: flag(crossed),
    chained: flag(crossed && isChain(alignment)),
    loneSubjects: Math.min(...lone),
    loneSubjectMost: Math.max(...lone),
    traded: Math.min(2, traded(ours, theirs, alignment))
  }
}

const stances = (
  stored: Claim,
  written: Claim,
  { features, fillings, opposite }: Leftovers,
  opposed: boolean,
  { like }: Wording,
  coverage: number
) => {
  const [one, other] = [stored.frames[0], written.frames[0]]
  return {
    opposed: flag(opposed),
    opposedCovered: opposed ? coverage : 0,
    opposedLone: flag(opposed && (features["strongBoth"] ?? 0) > 0),
    // Allowed on one terrace and not on the other; closed here and open there.
    opposedFilled: opposed && fillings > 0 ? like : 0,
    oppositeFilled: opposite !== undefined && !opposed && fillings > 0 ? like : 0,
    oppositeOpposed: flag(opposed && opposite !== undefined),
    quantifierLone: Math.min(2, loneQuantifiers(stored.stance, written.stance).length),
    quantifierOpposed: flag(stancesOppose(stored.stance, written.stance)),
    tense: flag(one !== undefined && other !== undefined && tensesDiffer(one, other)),
    sameVerbWord: flag(one !== undefined && other !== undefined && one.verb === other.verb)
  }
}

const wordings = (
  { added, filled, frame, lengths, like, shared }: Wording,
  { features, fillings, values }: Leftovers,
  clusters: number
) => ({
  template: frame,
  filledOnce: flag(filled === 1 && added === 0),
  filledTwice: flag(filled >= 2 && added === 0),
  filledTwiceAlike: flag(filled >= 2 && added === 0 && like >= 0.5),
  retold: 1 - like,
  retoldTwo: clusters >= 2 ? 1 - like : 0,
  likeTwo: clusters >= 2 ? like : 0,
  valueLike: values === undefined ? 0 : like,
  valueLikeTwo: values !== undefined && clusters >= 2 ? like : 0,
  valueFilled: values !== undefined && fillings > 0 ? like : 0,
  slotsDifferMore: (features["slotsDiffer"] ?? 0) >= 2 ? like : 0,
  like,
  wordsShared: shared,
  length: lengths[0] / Math.max(1, lengths[1]),
  words: Math.min(30, lengths[0] + lengths[1]) / 30
})
