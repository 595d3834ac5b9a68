/**
 * Two claims compared as sequences of content words: for languages without a grammar here. The same words in the same
 * order, with the same values and denials, are the same; a difference behind a common subject and verb is a conflict.
 */
import { alternatives, opposes } from "./ClaimAntonyms.ts"
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { ownersAbroad } from "./ClaimLanguage.ts"
import { sameDimension } from "./ClaimMatch.ts"
import { ruleOf } from "./ClaimObjects.ts"
import type { Part, Sequence } from "./ClaimSequence.ts"
import { compareStems } from "./ClaimSequencesReworded.ts"
import { changesAbroad, manyAbroad, opposesAbroad } from "./ClaimWordsAbroad.ts"

const lone = (one: ReadonlyArray<Part>, other: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const counts = new Map<string, number>()
  for (const { concept } of other) counts.set(concept, (counts.get(concept) ?? 0) + 1)
  return one.filter(({ concept }) => {
    const count = counts.get(concept) ?? 0
    if (count > 0) counts.set(concept, count - 1)
    return count === 0
  })
}

const textOf = (parts: ReadonlyArray<Part>) => parts.map(({ text }) => text).join(" ")

export const compareSequences = (one: Sequence, other: Sequence, unspaced: boolean): Comparison => {
  const [left, right] = [lone(one.parts, other.parts), lone(other.parts, one.parts)]
  const found = compareWords(one, other, left, right, unspaced)
  return found.relation === "other" ? compareStems(one, other, left, right, unspaced) ?? found : found
}

const compareWords = (
  one: Sequence,
  other: Sequence,
  left: ReadonlyArray<Part>,
  right: ReadonlyArray<Part>,
  unspaced: boolean
): Comparison => {
  const opposed = (one.denials + other.denials) % 2 === 1
  const shared = one.parts.length - left.length
  const words = (parts: ReadonlyArray<Part>) => parts.filter(({ value }) => value === undefined)
  if (shared === 0) return answer("other", "other-subject", "They share no word.")
  if (left.length === 0 && right.length === 0) {
    if (opposed) return answer("differs", "negation", "One denies what the other says.")
    const order = (parts: ReadonlyArray<Part>) => words(parts).map(({ concept }) => concept).join(" ")
    const values = one.parts.filter(({ value }) => value !== undefined)
    const ordered = one.parts.map(({ concept }) =>
      concept
    ).join(" ") === other.parts.map(({ concept }) => concept).join(" ")
    return ordered || (order(one.parts) === order(other.parts) && values.length <= 1)
      ? answer("same", "same-words", "Both have the same words and values.")
      : answer("unsure", "role", "The same words in another order.")
  }
  const ratio = shared / Math.max(1, Math.min(one.parts.length, other.parts.length))
  const subjects = sameTopic(one.parts, other.parts, unspaced)
  for (const from of left) {
    for (const to of right) {
      if (from.value === undefined && to.value === undefined) {
        if (
          subjects && (left.length === 1 || right.length === 1 || !named(left, from) || !named(right, to)) &&
          (opposesAbroad(from.concept, to.concept) || opposes(from.concept, to.concept) ||
            alternatives(from.concept, to.concept) || prefixed(from.concept, to.concept))
        ) {
          return answer(opposed ? "unsure" : "differs", "antonym", `Opposites: ${against(from.text, to.text)}.`)
        }
      } else if (
        from.value !== undefined && to.value !== undefined && sameDimension(from.value.dimension, to.value.dimension)
      ) {
        const [ours, theirs] = [words(left), words(right)]
        const few = ours.length === 0 || theirs.length === 0
        // Hall 3 has it, hall 4 has it not.
        if (opposed && few && ours.length + theirs.length === 0) {
          return answer("other", "compatible", `Each is said of its own: ${against(from.text, to.text)}.`)
        }
        if (few || subjects && [...ours, ...theirs].some(({ concept }) => changesAbroad(concept))) {
          return answer("differs", ruleOf(from.value.dimension), `They differ in ${against(from.text, to.text)}.`)
        }
      }
    }
  }
  if (!subjects) {
    return answer(
      "other",
      "other-subject",
      `They are about different things: ${
        against(textOf(left) || textOf(one.parts), textOf(right) || textOf(other.parts))
      }.`
    )
  }
  if (opposed) {
    // Likes tea, does not like coffee: both hold. The last word is as often a verb in another form.
    const another = !unspaced && left.length === 1 && right.length === 1 && manyOf(one, left[0]!)
    return left.length <= 2 && right.length <= 2 && ratio >= 0.5 && !another
      ? answer("differs", "negation", "One denies what the other says.")
      : answer("other", "other-attribute", "One denies another thing than the other says.")
  }
  const change = [...left, ...right].some(({ concept }) => changesAbroad(concept))
  if (change && shared >= 1) {
    return answer("differs", "change", `It has changed: ${against(textOf(left), textOf(right))}.`)
  }
  if (left.length === 0 || right.length === 0) {
    return ratio >= 1 && left.length + right.length <= 2
      ? answer("unsure", "left-over", `Only one of them says ${textOf(left.length === 0 ? right : left)}.`)
      : answer("other", "left-over", "One says more than the other.")
  }
  // One stretch differs behind a common beginning that reaches past the subject.
  const prefix = commonStart(one.parts, other.parts)
  const suffix = commonStart([...one.parts].reverse(), [...other.parts].reverse())
  if (
    [...one.parts.slice(0, prefix), ...one.parts.slice(one.parts.length - suffix)].some(({ concept }) =>
      manyAbroad(concept)
    )
  ) {
    return answer("other", "compatible", `Both can hold: ${against(textOf(left), textOf(right))}.`)
  }
  const covered = prefix + suffix >= Math.max(one.parts.length - left.length, 1)
  // A name alone is what both are about, not what they say of it.
  const half = shared * 2 >= Math.max(one.parts.length, other.parts.length)
  const enough = half && (unspaced ? suffix >= 2 || prefix >= 3 : prefix > leadingNames(one.parts) || suffix >= 1)
  return covered && enough
    ? answer("differs", "object", `They differ in ${against(textOf(left), textOf(right))}.`)
    : answer("other", "other-attribute", `They say different things: ${against(textOf(left), textOf(right))}.`)
}

/** Whether a verb of which one has many objects stands besides. */
const manyOf = (one: Sequence, besides: Part): boolean =>
  one.parts.some((part) => part !== besides && manyAbroad(part.concept))

/** A name or a single letter besides: the quay A is not the quay B. */
const named = (parts: ReadonlyArray<Part>, besides: Part): boolean =>
  parts.some((part) => part !== besides && part.value === undefined && /^\p{Lu}/u.test(part.text))

/** How many words of the beginning are one name. */
const leadingNames = (parts: ReadonlyArray<Part>): number => {
  const end = parts.findIndex(({ text }) => !/^\p{Lu}/u.test(text))
  return Math.max(1, end < 0 ? parts.length : end)
}

const commonStart = (one: ReadonlyArray<Part>, other: ReadonlyArray<Part>): number => {
  let i = 0
  while (i < one.length && i < other.length && one[i]!.concept === other[i]!.concept) i++
  return i
}

/** Whether the first content word, or all before the topic's particle, is the same. */
const sameTopic = (one: ReadonlyArray<Part>, other: ReadonlyArray<Part>, unspaced: boolean): boolean => {
  if (!unspaced) {
    const length = ownersAbroad.has(one[0]?.concept ?? "") ? 2 : 1
    return commonStart(one, other) >= Math.min(length, one.length)
  }
  const topic = (parts: ReadonlyArray<Part>) => {
    const end = parts.findLastIndex((part) => part.topic)
    return end < 0 ? parts.slice(0, 2) : parts.slice(0, end + 1)
  }
  const [ours, theirs] = [topic(one), topic(other)]
  const shorter = Math.min(ours.length, theirs.length)
  return commonStart(ours, theirs) >= shorter && shorter > 0
}

/** `einschalten` and `ausschalten`, `montar` and `desmontar`: one word with another prefix. */
const prefixed = (one: string, other: string): boolean => {
  for (
    const [a, b] of [["ein", "aus"], ["an", "aus"], ["auf", "zu"], ["in", "out"], ["in", "uit"], [
      "aan",
      "uit"
    ]] as const
  ) {
    if (
      (one.startsWith(a) && other === b + one.slice(a.length)) ||
      (one.startsWith(b) && other === a + one.slice(b.length))
    ) {
      return one.length > a.length + 3
    }
  }
  return ["un", "des", "dis", "de", "in", "im", "on", "не", "不"].some((prefix) =>
    (one.length > 3 || prefix.length === 1) && (other === prefix + one || one === prefix + other)
  )
}
