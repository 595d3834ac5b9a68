/**
 * The content words of two English claims laid side by side, whatever clauses and places they stand in: which of them
 * meet and how surely, and which are left over. The rules ask grammar first; this asks only for words.
 */
import type { Frame, Item } from "./ClaimFrame.ts"
import { nounFields } from "./ClaimLexicon.ts"
import { isFiller, joined } from "./ClaimMatch.ts"
import { type Grade, nearness } from "./ClaimNearness.ts"
import { lightVerbs } from "./ClaimVerbs.ts"

/** A content word in its place. */
export interface Placed {
  readonly item: Item
  /** `subject`, `verb`, or the preposition it stands behind ("" for none). */
  readonly place: string
  /** The clause it stands in. */
  readonly clause: number
  /** It is the last word of its subject or group: what the words before it specify. */
  readonly head: boolean
}

export interface Pairing {
  readonly from: Placed
  readonly to: Placed
  readonly grade: Grade
}

export interface Alignment {
  readonly pairs: ReadonlyArray<Pairing>
  readonly left: ReadonlyArray<Placed>
  readonly right: ReadonlyArray<Placed>
}

// A sentence or two; beyond that the beginning is enough to see whether two claims touch.
const mostWords = 40

const placedIn = (frame: Frame, clause: number): ReadonlyArray<Placed> => {
  const group = (items: ReadonlyArray<Item>, place: string) =>
    items.map((item, at): Placed => ({ item, place, clause, head: at === items.length - 1 }))
  const verb: ReadonlyArray<Placed> = frame.verb === "" || lightVerbs.has(frame.verb) ? [] : [{
    item: { concept: frame.verb, lemma: frame.verb, text: frame.verbText, kind: "verb" },
    place: "verb",
    clause,
    head: true
  }]
  return [
    ...group(frame.subject, "subject"),
    ...verb,
    ...frame.groups.flatMap(({ items, preposition }) => group(items, preposition))
  ]
}

/** Pronouns point at what is said already, or at whoever speaks. */
const carries = ({ item }: Placed): boolean => item.kind !== "pronoun" && item.lemma !== "user" && !isFiller(item)

export const wordsOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<Placed> =>
  frames.flatMap(placedIn).filter(carries).slice(0, mostWords)

export const align = (one: ReadonlyArray<Placed>, other: ReadonlyArray<Placed>): Alignment => {
  const pairs: Array<Pairing> = []
  let left = one
  const right = [...other]
  for (const grade of [3, 2, 1] as const) {
    if (left.length === 0 || right.length === 0) break
    const lone: Array<Placed> = []
    for (const from of left) {
      const at = partnerOf(from, right, grade)
      if (at < 0) lone.push(from)
      else pairs.push({ from, to: right.splice(at, 1)[0]!, grade })
    }
    left = lone
  }
  return spelledOut(spelledOut({ pairs, left, right }, false), true)
}

/** The one that stands in the same place, if there are several. */
const partnerOf = (from: Placed, right: ReadonlyArray<Placed>, grade: Grade): number => {
  let found = -1
  for (const [at, to] of right.entries()) {
    if (nearness(from.item, to.item) < grade) continue
    if (to.place === from.place) return at
    if (found < 0) found = at
  }
  return found
}

/** "EU" for "European Union", "timeout" for "time out": one word on one side, its parts on the other. */
const spelledOut = ({ left, pairs, right }: Alignment, turned: boolean): Alignment => {
  const [wholes, parts] = turned ? [right, left] : [left, right]
  const found: Array<Pairing> = []
  const taken = new Set<Placed>()
  if (parts.length < 2) return { left, pairs, right }
  for (const whole of wholes) {
    if (whole.item.value !== undefined) continue
    for (let at = 0; at + 1 < parts.length; at++) {
      const spelt = taken.has(parts[at]!) ? 0 : spells(whole.item, parts, at)
      if (spelt === 0) continue
      for (const part of parts.slice(at, at + spelt)) {
        taken.add(part)
        found.push(turned ? { from: part, to: whole, grade: 1 } : { from: whole, to: part, grade: 1 })
      }
      taken.add(whole)
      break
    }
  }
  if (found.length === 0) return { left, pairs, right }
  const kept = (words: ReadonlyArray<Placed>) => words.filter((word) => !taken.has(word))
  return { left: kept(left), pairs: [...pairs, ...found], right: kept(right) }
}

/** How many of the words, from one on, the one word stands for; 0 for none. */
const spells = ({ lemma, text }: Item, parts: ReadonlyArray<Placed>, at: number): number => {
  const [first, second] = [parts[at]!.item, parts[at + 1]!.item]
  if (/^[A-Z]{2,5}s?$/.test(text)) {
    const letters = text.replace(/s$/, "").toLowerCase()
    const isSpelt = [...letters].every((letter, k) => parts[at + k]?.item.text[0]?.toLowerCase() === letter)
    return isSpelt ? letters.length : 0
  }
  return lemma.length > 5 && lemma[0] === first.lemma[0] &&
      joined({ lemma: first.lemma + second.lemma }) === joined({ lemma })
    ? 2
    : 0
}

/** WordNet's broad fields: two words without one in common are hardly two answers to one question. */
export const ofOneField = (from: Item, to: Item): boolean => {
  if (from.value !== undefined || to.value !== undefined) return from.value?.dimension === to.value?.dimension
  if (from.kind === "name" || to.kind === "name") return from.kind === to.kind
  const [ours, theirs] = [nounFields(from.lemma), nounFields(to.lemma)]
  return from.kind === to.kind &&
    (ours.length === 0 || theirs.length === 0 || ours.some((field) => theirs.includes(field)))
}

/** Either text may begin with it, where a name looks like a common word. */
const isNamed = ({ from, to }: Pairing) => from.item.kind === "name" || to.item.kind === "name"

/** "Russian and Estonian": members of one list stand in any order. */
const listed = (first: Placed, second: Placed): boolean =>
  first.clause === second.clause && first.place === second.place &&
  (first.item.listed === true || second.item.listed === true)

// WordNet's files of groups and persons.
const doers = [14, 18]
/** Somebody, who may do what another one does: a name, the staff, the teacher. */
const canAct = (pairing: Pairing) =>
  isNamed(pairing) ||
  pairing.from.item.kind === "noun" && nounFields(pairing.from.item.lemma).some((field) => doers.includes(field))

const isAcronym = ({ item }: Placed) => /^[A-Z]{2,4}s?$/.test(item.text)

const trading = (first: Pairing, second: Pairing): boolean => {
  const words = [first.from, first.to, second.from, second.to]
  if (words.some(({ item, place }) => place === "verb" || item.kind === "adjective" || item.kind === "verb")) {
    return false
  }
  if (listed(first.from, second.from) && listed(first.to, second.to)) return false
  if (canAct(first) && canAct(second) && !words.some(isAcronym)) return true
  if (first.from.item.value !== undefined || second.from.item.value !== undefined) {
    return first.from.item.value?.dimension === second.from.item.value?.dimension
  }
  // Two things, or a name and a thing, have to change places: the owner and what is owned stand in either order.
  const swapped = first.from.place !== second.from.place && first.from.place === second.to.place &&
    first.to.place === second.from.place
  return swapped && words.every(({ head }) => head) &&
    (isNamed(first) || isNamed(second) || ofOneField(first.from.item, second.from.item))
}

/** "The purchase by Orbis": whoever does it is told of last and comes first. */
const isDoer = ({ item, place }: Placed): boolean => place === "by" || item.side === "by"

/** Pairs of words that could stand for one another and stand in the other order: who manages whom, from where to where. */
export const traded = (
  one: ReadonlyArray<Placed>,
  other: ReadonlyArray<Placed>,
  { pairs }: Alignment
): number => {
  const order = new Map<Placed, number>()
  for (const words of [one, other]) words.forEach((word, at) => order.set(word, isDoer(word) ? at - mostWords : at))
  let count = 0
  for (const [at, first] of pairs.entries()) {
    for (const second of pairs.slice(at + 1)) {
      const ours = order.get(first.from)! - order.get(second.from)!
      const theirs = order.get(first.to)! - order.get(second.to)!
      if (ours * theirs < 0 && trading(first, second)) count++
    }
  }
  return count
}
