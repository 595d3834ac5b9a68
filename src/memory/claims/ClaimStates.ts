/**
 * States that rule out what another claim tells of the same one: who is retired has no job, what was torn down does not
 * stand, who lives alone shares with nobody. Each line is the words of the state, then the words it rules out. General
 * knowledge, not exceptions: a line is right for nearly every claim or is not here.
 */
import type { Frame, Item } from "./ClaimFrame.ts"
import { complements } from "./ClaimFrame.ts"
import { relateSubjects } from "./ClaimSubjects.ts"
import { conceptOf } from "./ClaimSynonyms.ts"

interface Exclusion {
  /** Every word of one of these stands in the state. */
  readonly states: ReadonlyArray<ReadonlyArray<string>>
  readonly excluded: ReadonlySet<string>
  /** The state was once otherwise: what is told of the past stays true. */
  readonly ended: boolean
}

const parsed = (line: string): Exclusion => {
  const [states = "", excluded = ""] = line.split("|")
  return {
    states: states.trim().replace(/^!/, "").split(",").map((state) => state.trim().split(/\s+/).map(conceptOf)),
    excluded: new Set(excluded.trim().split(/\s+/).map(conceptOf)),
    ended: states.trim().startsWith("!")
  }
}

const table: ReadonlyArray<Exclusion> = `
blind, sightless | read watch see
deaf | hear
illiterate | read write
single, unmarried, bachelor, widower, widow, celibate | husband wife spouse fiance fiancee engaged engage bride groom
only child | brother sister sibling twin
live alone | share roommate roommates flatmate flatmates housemate husband wife partner
homeless | flat apartment house landlord
bald | haircut hairdresser braid
!retire, unemployed, jobless | work employ job career
!dead, deceased, die | work live teach alive enjoy plan attend study run
!cancel, call_off, scrap, abandon | go_ahead proceed happen upcoming
cancel, call_off | happen occur
broken, break, faulty, defective | work function
!demolish, tear_down, raze, destroy | stand host house
!bankrupt, insolvent, defunct, dissolve | thrive profitable hire expand
!resolve, fix, finish, complete | open unresolved outstanding pending ongoing underway
!expire, lapse | valid
single-threaded, singlethreaded | parallel concurrently multithreaded
read-only, readonly | write writable edit
stateless | session state
serverless | server
offline | online internet
cashless | cash coin
wireless | cable wire
electric | petrol diesel gasoline
proprietary, closedsource, closed-source | opensource open-source
on-premises, on-premise, onpremises, onpremise, selfhosted, self-hosted | aws azure gcp cloud
sleep, asleep | awake
silent, mute | noisy loud speak
empty | full crowded
free, gratis | charge fee price
part-time, parttime | full-time fulltime
overdue, outstanding, unpaid | pay settle
fasten, sober | drunk
metric | imperial
celsius | fahrenheit
fixed | variable floating
on hold, paused, suspended | resume underway
`.trim().split("\n").map(parsed)

/** What someone who has no such thing does not have or do either. */
const lacking: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `child | daughter son kid child baby toddler
sibling | brother sister twin sibling
brother | brother
sister | sister
pet | dog cat hamster rabbit parrot
car | drive car
license | drive
job | work employ job
spouse | husband wife
roommate | roommate flatmate
garden | garden lawn
phone | phone
internet | internet wifi`.split("\n").map((line) => {
    const [thing = "", words = ""] = line.split(" | ")
    return [conceptOf(thing), new Set(words.split(" ").map(conceptOf))] as const
  })
)

const having = new Set(["have", "own", "possess", "hold"].map(conceptOf))

/** "has no children" against "her daughter studies", "has no licence" against "drives". */
const lacked = (state: Frame, told: Frame): string | undefined => {
  if (state.denials % 2 === 0 || told.denials % 2 === 1 || told.tense !== "" || !having.has(state.verb)) {
    return undefined
  }
  const things = complements(state).filter(({ kind }) => kind === "noun")
  const words = things.length === 0 ? undefined : lacking.get(things[things.length - 1]!.concept)
  if (words === undefined || things.length > 2) return undefined
  const relation = owned(state, told).find((concept) => words.has(concept))
  if (relation !== undefined) return relation
  if (relateSubjects(state, told) === "different") return undefined
  return words.has(told.verb) ? told.verbText : undefined
}

/** What the subject of the second belongs to the first one's subject as: "Ada's daughter" for Ada. */
const owned = (one: Frame, other: Frame): ReadonlyArray<string> => {
  const owner = one.subject[one.subject.length - 1]
  if (owner === undefined || one.subject.some(({ possesses }) => possesses !== undefined)) return []
  const held = other.subject.find(({ concept }) => concept === owner.concept)?.possesses
  return held === undefined ? [] : [held]
}

const wordsOf = (frame: Frame): ReadonlyArray<Item> => [
  ...complements(frame),
  { concept: frame.verb, lemma: frame.verb, text: frame.verbText, kind: "verb" }
]

const excludedIn = (state: Frame, told: Frame): string | undefined => {
  if (state.denials % 2 === 1 || told.denials % 2 === 1) return undefined
  const words = wordsOf(state)
  const said = new Set(words.flatMap(({ concept, lemma }) => [concept, lemma]))
  const has = (word: string) =>
    said.has(word) ||
    (word === "alone" || word === "only") && state.quantifiers.includes("only")
  for (const { ended, excluded, states } of table) {
    if (ended && told.tense === "past" || !states.some((state) => state.every(has))) continue
    const kin = owned(state, told).find((concept) => excluded.has(concept))
    if (kin !== undefined && kinship.has(kin)) return kin
    if (relateSubjects(state, told) === "different") continue
    const found = wordsOf(told).find(({ concept, lemma }) => excluded.has(concept) || excluded.has(lemma))
    // A word they share is part of what both say.
    if (found !== undefined && !has(found.concept)) return found.text
  }
  return undefined
}

const kinship = new Set(`brother sister sibling twin husband wife spouse`.split(" ").map(conceptOf))

const meals = new Set([
  "lunch",
  "breakfast",
  "dinner",
  "supper",
  "meal",
  "snack",
  "diet",
  "dish",
  "drink",
  "order",
  "hobby"
])

/** Whether both are about one person or thing; "my lunch" is about me as far as ways of life go. */
export const ofOneSubject = (one: Frame, other: Frame): boolean => {
  if (one.subject.length > 0 && other.subject.length > 0 && relateSubjects(one, other) !== "different") return true
  const theirs = (owner: Frame, owned: Frame) =>
    owner.subject.length > 0 &&
    owned.subject.some(({ lemma }) => meals.has(lemma)) &&
    owner.subject.every(({ concept }) =>
      owned.subject.some((item) => item.concept === concept && item.possesses !== undefined)
    )
  return theirs(one, other) || theirs(other, one)
}

/** What one claim tells that the other's state rules out, or undefined. */
export const excludedBy = (one: Frame, other: Frame): string | undefined =>
  excludedIn(one, other) ?? excludedIn(other, one) ?? lacked(one, other) ?? lacked(other, one)
