/**
 * What is said from the other side: sells to and buys from, taller and shorter, husband and wife, before and after. One
 * side's verb is brought to the other's when a claim is read; where that would hide a turned order (who is older than
 * whom), the two frames are compared as they stand.
 */
import { opposes } from "./ClaimAntonyms.ts"
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import type { Frame, Group, Item } from "./ClaimFrame.ts"
import { textOf } from "./ClaimFrame.ts"
import { matchItems } from "./ClaimMatch.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { antonymous } from "./ClaimThesaurus.ts"

/** The verb, the preposition of the other party, the verb said of that party, the preposition of the first one. */
const sides: ReadonlyMap<string, ReadonlyArray<readonly [string, string, string]>> = (() => {
  const table = new Map<string, Array<readonly [string, string, string]>>()
  for (
    const line of `buy from sell to|borrow from lend to|rent from let to|lease from let to|receive from give to
    |get from give to|learn from teach .|study from teach .|inherit from bequeath to|obtain from give to
    |answer to manage .|belong to own .|report to manage .|follow . precede .|employ . work for|adopt from give to
    |import from export to|hear from tell .|suffer under torment .|succeed . precede .`.split("|")
  ) {
    const [verb = "", party = "", turned = "", first = ""] = line.trim().split(" ").map((word) =>
      word === "." ? "" : word
    )
    const known = table.get(conceptOf(verb)) ?? []
    known.push([party, conceptOf(turned), first])
    table.set(conceptOf(verb), known)
  }
  return table
})()

const named = ({ items }: Group) => items.every(({ kind }) => kind === "name" || kind === "pronoun")

/** The frame told from the side of the other party, where the table has its verb. */
export const plainConverse = (frame: Frame): Frame | undefined => {
  if (frame.passive || frame.subject.length === 0) return undefined
  // "rents the flat to": lets it.
  if (/^(?:rent|lease)$/.test(frame.verb) && frame.groups.some(({ preposition }) => preposition === "to")) {
    return { ...frame, verb: "let" }
  }
  for (const [party, verb, first] of sides.get(frame.verb) ?? []) {
    const at = frame.groups.findIndex(({ items, preposition }) => preposition === party && items.length > 0)
    const group = frame.groups[at]
    if (group === undefined) continue
    // "reports to the police", "follows the rules", "succeeds": only between persons or named things.
    if (/^(?:manage|precede|tell)$/.test(verb) && !named(group)) continue
    if (verb === "work" && at > 0) continue
    const bare = first === ""
    const mine: Group = { preposition: first, items: sided(frame.subject, first), definite: frame.subjectDefinite }
    const rest = frame.groups.filter((each) => each !== group)
    return {
      ...frame,
      verb,
      subject: sided(group.items, ""),
      subjectDefinite: group.definite,
      groups: bare ? [mine, ...rest] : [...rest.slice(0, 1), mine, ...rest.slice(1)]
    }
  }
  return undefined
}

const sided = (items: ReadonlyArray<Item>, side: string): ReadonlyArray<Item> =>
  items.map(({ side: _, ...item }) => side === "to" ? { ...item, side } : item)

/** What a command asks for, and what "we" or "you" do, told of the thing it is done to. */
const undergoing = (frame: Frame): Frame | undefined => {
  const object = frame.groups[0]
  const general = frame.command ||
    (frame.subject.length === 1 && /^(?:we|you|one|people|they)$/.test(frame.subject[0]!.lemma))
  if (!general || frame.passive || frame.verb === "be" || frame.verb === "have" || frame.verb === "do") return undefined
  if (object === undefined || object.preposition !== "" || object.items.length === 0) return undefined
  const timed = (item: Item) =>
    item.value !== undefined && /^(?:repeat|time|date|weekday|duration)$/.test(item.value.dimension)
  const times = object.items.filter(timed)
  return {
    ...frame,
    passive: true,
    subject: object.items.filter((item) => !timed(item)),
    subjectDefinite: object.definite,
    groups: [
      ...(times.length > 0 ? [{ preposition: "", items: times, definite: false }] : []),
      ...frame.groups.slice(1)
    ]
  }
}

/** What runs after another thing, told of that other thing. */
const ordered = (frame: Frame): Frame | undefined => {
  const at = frame.groups.findIndex(({ preposition }) => preposition === "before" || preposition === "after")
  const group = frame.groups[at]
  if (group === undefined || frame.groups.some(({ preposition }) => preposition === "") || frame.subject.length === 0) {
    return undefined
  }
  const turned = group.preposition === "before" ? "after" : "before"
  const mine: Group = {
    preposition: turned,
    items: frame.subject.map((item) => ({ ...item, side: turned })),
    definite: frame.subjectDefinite
  }
  return {
    ...frame,
    subject: group.items.map(({ side: _, ...item }) => item),
    subjectDefinite: group.definite,
    groups: frame.groups.map((each) => each === group ? mine : each)
  }
}

/** Other ways to tell the second claim, to be tried when it seems to be about something else. */
export const otherTellings = (one: Frame, other: Frame): ReadonlyArray<Frame> => {
  const found: Array<Frame> = []
  const passive = one.passive ? undergoing(other) : undefined
  if (passive !== undefined) found.push(passive)
  if (one.verb === other.verb) {
    const after = ordered(other)
    if (after !== undefined) found.push(after)
  }
  return found
}

/** The same for the first claim, when the second one is the passive. */
export const asUndergone = (frame: Frame, passive: boolean): Frame | undefined =>
  passive ? undergoing(frame) : undefined

/** Relations and their converses; the first word of each side says nothing more than the relation. */
const relations: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
  "husband|wife",
  "parent father mother|child son daughter",
  "teacher|student pupil",
  "tutor|tutee",
  "landlord landlady|tenant",
  "boss supervisor superior|subordinate",
  "employer|employee",
  "mentor|mentee",
  "coach|coachee trainee",
  "grandparent grandfather grandmother|grandchild grandson granddaughter",
  "aunt|niece",
  "uncle|nephew",
  "godparent godfather godmother|godchild godson goddaughter",
  "host|guest",
  "doctor|patient",
  "lawyer|client",
  "predecessor|successor",
  "master|apprentice",
  "buyer|seller"
].map((line) => {
  const [one = "", other = ""] = line.split("|")
  return [one.split(" ").map(conceptOf), other.split(" ").map(conceptOf)] as const
})

/** `A is B's N`: whose, and the relation. */
const relative = (frame: Frame): Relative | undefined => {
  const only = frame.groups[0]
  if (frame.verb !== "be" || only === undefined || frame.groups.length > 1 || only.preposition !== "") return undefined
  return possessed(frame.subject, only.items) ?? possessed(only.items, frame.subject)
}

interface Relative {
  readonly who: ReadonlyArray<Item>
  readonly of: ReadonlyArray<Item>
  readonly noun: Item
}

const possessed = (who: ReadonlyArray<Item>, items: ReadonlyArray<Item>): Relative | undefined => {
  const noun = items[items.length - 1]
  const of = items.slice(0, -1)
  return noun !== undefined && of.length > 0 && of[of.length - 1]!.possesses === noun.concept
    ? { who, of, noun }
    : undefined
}

const equalItems = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): boolean => {
  const { left, right } = matchItems(one, other)
  return left.length === 0 && right.length === 0
}

const kindred = (one: Frame, other: Frame): Comparison | undefined => {
  const [ours, theirs] = [relative(one), relative(other)]
  if (ours === undefined || theirs === undefined) return undefined
  if (!equalItems(ours.who, theirs.of) || !equalItems(theirs.who, ours.of)) return undefined
  for (const [first, second] of relations) {
    const side = (item: Item) => first.includes(item.concept) ? 1 : second.includes(item.concept) ? 2 : 0
    const [a, b] = [side(ours.noun), side(theirs.noun)]
    if (a === 0 || b === 0) continue
    if ((one.denials + other.denials) % 2 === 1 || a === b) {
      return answer("differs", "role", `Turned round: ${against(textOf(ours.who), textOf(theirs.who))}.`)
    }
    const plain = [first[0], second[0], ...second.slice(1, 2).filter((word) => word === "pupil")]
    return [ours.noun, theirs.noun].every(({ concept }) => plain.includes(concept)) && one.tense === other.tense
      ? answer("same", "same-words", "One relation, told from its two ends.")
      : answer("unsure", "role", "One relation, told from its two ends, one of which says more.")
  }
  return undefined
}

/** `A is more N than B` against `B is less N than A`, "taller" against "shorter". */
const compared = (one: Frame, other: Frame): Comparison | undefined => {
  const than = (frame: Frame) => frame.groups.find(({ preposition }) => preposition === "than")
  const [ours, theirs] = [than(one), than(other)]
  if (ours === undefined || theirs === undefined || one.verb !== other.verb) return undefined
  const degree = (frame: Frame) =>
    frame.groups.filter((group) => group.preposition !== "than").flatMap(({ items }) => items)
  const words = (frame: Frame) => degree(frame).filter(({ lemma }) => lemma !== "less" && lemma !== "more")
  const less = (frame: Frame) => degree(frame).filter(({ lemma }) => lemma === "less").length
  const turned = equalItems(one.subject, theirs.items) && equalItems(other.subject, ours.items)
  if (!turned && !(equalItems(one.subject, other.subject) && equalItems(ours.items, theirs.items))) return undefined
  const { left, right } = matchItems(words(one), words(other))
  if (left.length !== right.length || left.length > 1) return undefined
  const opposite = left.length === 1
  if (opposite && !(opposes(left[0]!.concept, right[0]!.concept) || antonymous(left[0]!.lemma, right[0]!.lemma))) {
    return undefined
  }
  const flips = (opposite ? 1 : 0) + less(one) + less(other) + (turned ? 1 : 0)
  if ((one.denials + other.denials) % 2 === 1) {
    // Not taller may be as tall.
    return flips % 2 === 0 ? answer("differs", "negation", "One denies what the other compares.") : undefined
  }
  if (flips % 2 === 1) {
    return answer(
      "differs",
      "role",
      `Compared the other way round: ${against(textOf(one.subject), textOf(other.subject))}.`
    )
  }
  return one.quantifiers.join() === other.quantifiers.join() && one.tense === other.tense && one.denials === 0
    ? answer("same", "same-words", "One comparison, told from its two ends.")
    : undefined
}

/** Two claims that say one relation from its two ends, or undefined. */
export const compareConverses = (one: Frame, other: Frame): Comparison | undefined =>
  kindred(one, other) ?? compared(one, other)
