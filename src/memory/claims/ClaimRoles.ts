/**
 * Two claims of the same words may still say different things: who manages whom, from where to where, tabs instead of
 * spaces. Here the words are known to be the same; the question is whether they stand in the same roles.
 */
import type { Frame, Group, Item } from "./ClaimFrame.ts"
import { turned } from "./ClaimSubjects.ts"
import { lightVerbs, symmetric } from "./ClaimVerbs.ts"
import { directed } from "./ClaimWords.ts"

export type RoleRelation = "same" | "turned" | "unsure"

const key = (items: ReadonlyArray<Item>): string => items.map(({ concept }) => concept).sort().join(" ")
const setKey = (items: ReadonlyArray<Item>): string => [...new Set(items.map(({ concept }) => concept))].sort().join(" ")

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
  new Map([...frame.subject, ...frame.groups.flatMap(({ items }) => items)].map(({ concept, side }) => [concept, side ?? ""]))

/** The same subject and the same groups, each under a preposition of the same side. */
const sameGroups = (one: Frame, other: Frame): boolean =>
  key(one.subject) === key(other.subject) && groupKeys(one.groups).join("|") === groupKeys(other.groups).join("|")

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
  const both = symmetric.has(one.verb) || one.groups.some(({ items }) => items.some(({ concept }) => symmetric.has(concept)))
  if (!both && (turnedDirection(one, other) || exchanged(one, other))) return "turned"
  if (!samePossessions(one, other)) return "turned"
  if (sameGroups(one, other)) return "same"
  const around = turned(other)
  if (one.verb === "be" && other.verb === "be" && around !== undefined && sameGroups(one, around)) return "same"
  if (!both && unequalSides(one, other) && Math.min(referents(behind(one)).length, referents(behind(other)).length) > 1) return "unsure"
  const [ours, theirs] = [referents(one.subject), referents(other.subject)]
  const names = (items: ReadonlyArray<Item>) => items.filter(({ kind }) => kind === "name" || kind === "pronoun")
  if (setKey(ours) !== setKey(theirs)) {
    const verb = !lightVerbs.has(one.verb) && one.verb === other.verb
    // The doer of one is the object of the other.
    const swapped = ours.some(({ concept }) => behind(other).some((item) => item.concept === concept)) &&
      theirs.some(({ concept }) => behind(one).some((item) => item.concept === concept))
    if (swapped && verb) return both ? "same" : "turned"
    if (swapped) return both ? "same" : "unsure"
    if (setKey(names(ours)) !== setKey(names(theirs)) && names(ours).length > 0 && names(theirs).length > 0) {
      return both ? "same" : "unsure"
    }
  }
  // One free place besides the subject leaves nothing to confuse; a compound may be said with a preposition.
  const free = (frame: Frame) => names(behind(frame)).length + behind(frame).filter(({ kind }) => kind === "value").length
  return free(one) <= 1 || both ? "same" : sameFlat(one, other)
}

/** The same values under the same words: times and places may move, two of a kind may not. */
const sameFlat = (one: Frame, other: Frame): RoleRelation => {
  const dimensions = (frame: Frame) => frame.groups.flatMap(({ items }) => items).flatMap(({ value }) => value?.dimension ?? [])
  const all = dimensions(one)
  const names = one.groups.flatMap(({ items }) => items).filter(({ kind }) => kind === "name").length
  return new Set(all).size === all.length && names <= 1 ? "same" : "unsure"
}
