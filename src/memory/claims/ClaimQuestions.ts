/**
 * Which question a clause answers: two verbs that ask the same ("is kept in", "hangs on"), and two answers that cannot
 * answer one (a time and a place).
 */
import type { Frame, Item } from "./ClaimFrame.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { resting } from "./ClaimThinVerbs.ts"
import { lightVerbs, questions } from "./ClaimVerbs.ts"
import { classNouns, kindNouns, placing } from "./ClaimWords.ts"

/** "Environment" beside "production" names no other thing. */
export const namesKind = (item: Item, frame: Frame): boolean =>
  item.kind === "noun" &&
  [frame.subject, ...frame.groups.map(({ items }) => items)].some((items) => {
    const at = items.indexOf(item)
    return at >= 0 && items.length > 1 && (kindNouns.has(item.lemma) ||
      classNouns.has(item.lemma) &&
        [items[at - 1], items[at + 1]].some((beside) => beside?.kind === "name" && beside.possesses !== item.concept))
  })

const sidesOf = new Set("north south east west front back left right upper lower inner outer up down".split(" "))
export const placesDiffer = (one: Item, other: Item): boolean => sidesOf.has(one.lemma) && sidesOf.has(other.lemma)

export const wishes = new Set(["want", "prefer", "like"])
const occurs = new Set(["happen", "hold", "occur"])
const going = new Set("go drive cycle bike bicycle walk commute travel take fly run ride".split(" ").map(conceptOf))

/** By bus or by bike to one place: how one gets there. */
export const sameWay = (one: Frame, other: Frame): boolean => {
  const goal = (frame: Frame) => frame.groups.find(({ preposition }) => preposition === "to")?.items ?? []
  const [ours, theirs] = [goal(one), goal(other)]
  return going.has(one.verb) && going.has(other.verb) && one.tense === other.tense && ours.length > 0 &&
    ours.every(({ concept }) => theirs.some((item) => item.concept === concept))
}

/** A time against a place: two questions. */
export const mixed = (left: ReadonlyArray<Item>, right: ReadonlyArray<Item>): boolean => {
  const values = (items: ReadonlyArray<Item>) => {
    const told = items.filter(({ kind }) => kind !== "verb")
    return told.length === 0 ? undefined : told.every(({ value }) => value !== undefined)
  }
  const [ours, theirs] = [values(left), values(right)]
  return ours !== undefined && theirs !== undefined && ours !== theirs
}

const rests = ({ groups, verb }: Frame): boolean =>
  (resting.has(verb) || /^(?:hang|be|live)$/.test(verb)) &&
  groups.length > 0 && groups.every(({ preposition }) => placing.has(preposition)) &&
  groups.some(({ items }) => items.every(({ value }) => value === undefined))

/** Kept in the drawer, hung on the wall: where it is. */
const bothRest = (one: Frame, other: Frame): boolean =>
  rests(one) && rests(other) && (one.verb !== "live" || other.verb !== "be") &&
  (other.verb !== "live" || one.verb !== "be")

/** "Written in Go", "rewritten in Rust". */
const again = (one: string, other: string): boolean =>
  one.length > 3 && other === `re${one}` || other.length > 3 && one === `re${other}`

export const sameQuestion = (one: Frame, other: Frame): boolean => {
  const question = questions.get(one.verb)
  return question !== undefined && question === questions.get(other.verb)
}

/** Whether both verbs are one as far as another object is another answer. */
export const oneVerb = (one: Frame, other: Frame): boolean =>
  one.verb === other.verb || bothRest(one, other) || again(one.verb, other.verb) ||
  wishes.has(one.verb) && wishes.has(other.verb) || occurs.has(one.verb) && occurs.has(other.verb) ||
  (lightVerbs.has(one.verb) && lightVerbs.has(other.verb) && one.verb !== "have" && other.verb !== "have")
