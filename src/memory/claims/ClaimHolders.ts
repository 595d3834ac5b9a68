/** What two claims about different things can still contradict in: a holder, a count, an end of a scale, an only one. */
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { complements, type Frame, type Item, textOf } from "./ClaimFrame.ts"
import { type Match, matchItems, oppositeWords } from "./ClaimMatch.ts"
import { namesKind } from "./ClaimQuestions.ts"
import { oneHolder } from "./ClaimVerbs.ts"

/** Verbs for who is at the head of something. */
const leading = new Set("lead manage run direct chair oversee".split(" "))

// Nobody is two of these to the same person.
const kin = new Set(
  "mother father sister brother wife husband son daughter aunt uncle niece nephew cousin grandmother grandfather".split(
    " "
  )
)

/** "Bob's wife is Ann", "Bob's sister is Ann". */
const relations = (one: Frame, other: Frame): boolean => {
  const last = ({ subject }: Frame) => subject[subject.length - 1]
  const [ours, theirs] = [last(one), last(other)]
  const { left, right } = matchItems(complements(one), complements(other))
  return one.verb === "be" && other.verb === "be" && left.length === 0 && right.length === 0 &&
    one.subject.length === 2 && other.subject.length === 2 && one.subject[0]!.concept === other.subject[0]!.concept &&
    ours !== undefined && theirs !== undefined && ours.concept !== theirs.concept && kin.has(ours.lemma) &&
    kin.has(theirs.lemma)
}

export const otherSubject = (one: Frame, other: Frame, match: Match, opposed: boolean): Comparison => {
  const text = against(textOf(one.subject) || one.verbText, textOf(other.subject) || other.verbText)
  const behind = matchItems(complements(one), complements(other))
  // Who alone may leaves nobody else who may.
  const only = one.quantifiers.includes("only") !== other.quantifiers.includes("only")
  if (
    only && !opposed && one.verb === other.verb && behind.left.length === 0 && behind.right.length === 0 &&
    behind.shared > 0
  ) {
    return answer("differs", "quantifier", `One says it of one alone: ${text}.`)
  }
  // "Five people must sign", "three people must sign": a count before what it counts, not the number of a room.
  const counted = ({ subject }: Frame, { value }: Item) =>
    value?.dimension === "number" && subject[0]?.value === value && subject.length > 1
  const [ours, theirs] = [match.left[0], match.right[0]]
  if (
    match.left.length === 1 && match.right.length === 1 && !opposed && one.verb === other.verb &&
    behind.left.length === 0 && behind.right.length === 0 && counted(one, ours!) && counted(other, theirs!)
  ) {
    return answer("differs", "number", `They differ in ${against(ours!.text, theirs!.text)}.`)
  }
  const names = [one, other].every(({ subject }) =>
    subject.every(({ kind, text }) => kind === "name" || /^\p{Lu}/u.test(text)) && subject.length > 0
  )
  const alone = (items: ReadonlyArray<Item>) => items.every((item) => namesKind(item, one) || namesKind(item, other))
  const holders = oneHolder.has(one.verb) || one.agent === true || other.agent === true ||
    one.quantifiers.includes("superlative") && other.quantifiers.includes("superlative")
  const ruling = one.verb === other.verb || leading.has(one.verb) && leading.has(other.verb)
  const definite = [one, other].some(({ agent, groups }) => agent === true || groups[0]?.definite === true) ||
    one.quantifiers.includes("superlative")
  if (
    names && ruling && holders && !opposed && alone(behind.left) && alone(behind.right) && behind.shared > 0 &&
    definite && match.left.length > 0 && match.right.length > 0
  ) {
    return answer("differs", "name", `One thing, two holders: ${text}.`, {
      subject: textOf(complements(one)).toLowerCase(),
      predicate: one.verb
    })
  }
  // "the youngest is Ann", "the oldest is Ann": one who is both ends.
  const named = complements(one).length > 0 && complements(one).every(({ kind }) => kind === "name")
  const opposite = oppositeWords(match.left, match.right)
  if (
    named && opposite !== undefined && !opposed && match.left.length === 1 && match.right.length === 1 &&
    one.verb === other.verb
  ) {
    return answer("differs", "antonym", `Opposites: ${against(opposite.from.text, opposite.to.text)}.`)
  }
  if (named && !opposed && relations(one, other)) {
    return answer("differs", "object", `Two relations to one: ${text}.`)
  }
  return answer("other", "other-subject", `They are about different things: ${text}.`)
}
