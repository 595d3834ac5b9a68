/**
 * Two claims of the same words may still say different things: who manages whom, from where to where, tabs instead of
 * spaces. Here the words are known to be the same; the question is whether they stand in the same roles.
 */
import type { Frame, Group, Item } from "./ClaimFrame.ts"
import { turned } from "./ClaimSubjects.ts"
import { symmetric } from "./ClaimVerbs.ts"
import { directed, kindNouns } from "./ClaimWords.ts"

export type RoleRelation = "same" | "turned" | "unsure"

/** The members of a list in any order, the words of each in theirs: "2 cats and 3 dogs" is not "3 cats and 2 dogs". */
const key = (items: ReadonlyArray<Item>): string => {
  const members: Array<string> = []
  for (const { concept, lemma, listed } of items) {
    if (items.length > 1 && kindNouns.has(lemma)) continue
    if (listed === true || members.length === 0) members.push(concept)
    else members[members.length - 1] += ` ${concept}`
  }
  return members.sort().join(", ")
}
const setKey = (items: ReadonlyArray<Item>): string =>
  [...new Set(items.map(({ concept }) => concept))].sort().join(" ")

/** On which side each word of a subject stands: the hotel in Porto, under Porto. */
const sideKey = (items: ReadonlyArray<Item>): string =>
  items.flatMap(({ concept, side }) => side === undefined || side === "" ? [] : [`${side} ${concept}`]).sort().join(
    ", "
  )

/** What possesses what, where both claims say so. */
const possessions = (frame: Frame): ReadonlyMap<string, string> =>
  new Map(
    [frame.subject, ...frame.groups.map(({ items }) => items)].flat()
      .flatMap(({ concept, possesses }) => possesses === undefined || possesses === "" ? [] : [[concept, possesses]])
  )

const samePossessions = (one: Frame, other: Frame): boolean => {
  const theirs = possessions(other)
  for (const [owner, owned] of possessions(one)) {
    const elsewhere = theirs.get(owner)
    if (elsewhere !== undefined && elsewhere !== owned) return false
  }
  return true
}

const referents = (items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.filter(({ kind }) => kind === "name" || kind === "noun" || kind === "value" || kind === "pronoun")

const behind = (frame: Frame) => referents(frame.groups.flatMap(({ items }) => items))

const groupKeys = (groups: ReadonlyArray<Group>): ReadonlyArray<string> =>
  groups.filter(({ items }) => items.length > 0)
    .map(({ items, preposition }) => `${directed.has(preposition) ? preposition : ""}>${key(items)}`).sort()

const sides = (frame: Frame): ReadonlyMap<string, string> =>
  new Map(
    [...frame.subject, ...frame.groups.flatMap(({ items }) => items)].map(({ concept, side }) => [
      concept,
      puts.has(frame.verb) && (side === "into" || side === "onto") ? "" : side ?? ""
    ])
  )

/** Put in the oven, put into the oven: where the verb brings a thing, in and into are one. */
const puts: ReadonlySet<string> = new Set("put place insert pour throw drop go load store save add pack fit".split(" "))

/** The same subject and the same groups, each under a preposition of the same side. */
const sameGroups = (one: Frame, other: Frame): boolean =>
  key(one.subject) === key(other.subject) && sideKey(one.subject) === sideKey(other.subject) &&
  groupKeys(one.groups).join("|") === groupKeys(other.groups).join("|")

/** One predicate of one thing, whose place or owner stands before "is" or behind: "the port of X is 5", "port for X: 5". */
const samePredicate = (one: Frame, other: Frame): boolean => {
  if (one.verb !== "be" || other.verb !== "be") return false
  const predicate = (frame: Frame) =>
    frame.groups.filter(({ preposition }) => preposition === "").map(({ items }) => key(items)).join("|")
  const rest = (frame: Frame) => [
    ...frame.subject,
    ...frame.groups.filter(({ preposition }) => preposition !== "").flatMap(({ items }) => items)
  ]
  const plain = [...rest(one), ...rest(other)].every(({ side }) => (side ?? "") === "")
  const names = (frame: Frame) => rest(frame).filter(({ kind, value }) => kind === "name" || value !== undefined).length
  return plain && predicate(one) !== "" && predicate(one) === predicate(other) &&
    setKey(rest(one)) === setKey(rest(other)) &&
    rest(one).length === rest(other).length && names(one) <= 2 && names(other) <= 2
}

/** A word that stands on another side: before the one and after the other, under the one and on the other. */
const turnedDirection = (one: Frame, other: Frame): boolean => {
  const theirs = sides(other)
  const placed = (frame: Frame, concept: string) =>
    frame.groups.some(({ items, preposition }) => preposition !== "" && items.some((item) => item.concept === concept))
  for (const [concept, side] of sides(one)) {
    const elsewhere = theirs.get(concept)
    if (elsewhere === undefined || elsewhere === side) continue
    if (side !== "" && elsewhere !== "") return true
    if (placed(one, concept) && placed(other, concept)) return true
  }
  return false
}

/** A side that only one of the claims gives a word. */
const unequalSides = (one: Frame, other: Frame): boolean => {
  const theirs = sides(other)
  return [...sides(one)].some(([concept, side]) => theirs.has(concept) && theirs.get(concept) !== side)
}

/** Both have a group under one directed preposition, of other things: "prefers A to B" and "B to A". */
const exchanged = (one: Frame, other: Frame): boolean =>
  one.groups.some(({ items, preposition }) => {
    if (!directed.has(preposition)) return false
    const theirs = other.groups.filter((group) => group.preposition === preposition)
    return theirs.length > 0 && theirs.every((group) => key(group.items) !== key(items)) &&
      items.some(({ concept }) => !theirs.some((group) => group.items.some((item) => item.concept === concept)))
  })

export const relateRoles = (one: Frame, other: Frame): RoleRelation => {
  const both = symmetric.has(one.verb) ||
    one.groups.some(({ items }) => items.some(({ concept, predicate }) => predicate === true && symmetric.has(concept)))
  if (!both && (turnedDirection(one, other) || exchanged(one, other))) return "turned"
  if (!samePossessions(one, other)) return "turned"
  if (both) return "same"
  if (sameGroups(one, other)) return "same"
  if (key(one.subject) === key(other.subject) && sideKey(one.subject) !== sideKey(other.subject)) return "unsure"
  if (samePredicate(one, other)) return "same"
  const around = turned(other)
  if (one.verb === "be" && other.verb === "be" && around !== undefined && sameGroups(one, around)) return "same"
  if (unequalSides(one, other) && Math.min(referents(behind(one)).length, referents(behind(other)).length) > 1) {
    return "unsure"
  }
  const [ours, theirs] = [lasting(one.subject), lasting(other.subject)]
  if (setKey(ours) !== setKey(theirs)) {
    // The doer of one is the object of the other.
    const crossed = (subject: ReadonlyArray<Item>, frame: Frame) =>
      referents(subject).some(({ concept }) => behind(frame).some((item) => item.concept === concept))
    const swapped = crossed(ours, other) && crossed(theirs, one)
    return swapped && one.verb === other.verb && !(one.verb === "be" && one.groups.length === 1) ? "turned" : "unsure"
  }
  // One free place besides the subject leaves nothing to confuse; a compound may be said with a preposition.
  const places = (frame: Frame) => behind(frame).filter(({ kind }) => kind === "name" || kind === "value").length
  const items = (frame: Frame) => frame.groups.reduce((sum, group) => sum + group.items.length, 0)
  if (key(one.subject) !== key(other.subject) && ours.length > 2) return "unsure"
  // As many groups of the same sides, and yet others in them: the words stand in other places.
  const shape = (frame: Frame) =>
    frame.groups.map((group) => `${group.preposition}${group.items.length}`).sort().join(" ")
  if (shape(one) === shape(other) && one.groups.length > 0) return "unsure"
  return places(one) <= 1 && items(one) <= 4 ? "same" : sameFlat(one)
}

/** What a subject is without the times that may stand before it as well as behind. */
const lasting = (items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.filter(({ value }) => value === undefined || !/^(?:time|date|weekday|repeat)$/.test(value.dimension))

/** The same values under the same words: times and places may move, two of a kind may not. */
const sameFlat = (one: Frame): RoleRelation => {
  const dimensions = (frame: Frame) =>
    frame.groups.flatMap(({ items }) => items).flatMap(({ value }) => value?.dimension ?? [])
  const all = dimensions(one)
  const names = one.groups.flatMap(({ items }) => items).filter(({ kind }) => kind === "name").length
  return new Set(all).size === all.length && names <= 1 ? "same" : "unsure"
}
