/**
 * How near two content words of English claims are: one word, one meaning, or neighbours in the dictionary. Answers are
 * kept, since the words of a claim are asked about beside those of every peer; the table is bounded.
 */
import type { Item } from "./ClaimFrame.ts"
import { isKnown } from "./ClaimLexicon.ts"
import { alike, joined } from "./ClaimMatch.ts"
import { derived, related } from "./ClaimThesaurus.ts"

/** 3: one word; 2: synonyms, derivations, one word's spellings; 1: short forms and words that are near in WordNet. */
export type Grade = 3 | 2 | 1

// What the grade of two words depends on, numbered: a pair of numbers is looked up faster than a pair of texts. All three
// are forgotten together, so that no number ever stands for two words.
const numbers = new Map<string, number>()
let numbered = new WeakMap<Item, number>()
const answers = new Map<number, Grade | 0>()
// Some 50 bytes each.
const mostKept = 50_000
// Above every number, and its square below the largest whole number.
const base = 1_000_000

const forget = () => {
  numbers.clear()
  numbered = new WeakMap()
  answers.clear()
}

/** The number of a word: one for all words that are graded alike. */
const numberOf = (item: Item): number => {
  const known = numbered.get(item)
  if (known !== undefined) return known
  const name = `${item.kind}${item.predicate === true ? "!" : ":"}${item.text}:${item.lemma}`
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  numbered.set(item, number)
  return number
}

/** The grade of two words, 0 for none. */
export const nearness = (from: Item, to: Item): Grade | 0 => {
  if (from.concept === to.concept) return 3
  if (from.value !== undefined || to.value !== undefined) {
    return isHour(from.concept, to.concept) || isHour(to.concept, from.concept) ? 2 : 0
  }
  if (from.lemma === to.lemma) return 3
  if (numbers.size >= mostKept || answers.size >= mostKept) forget()
  const pair = numberOf(from) * base + numberOf(to)
  const known = answers.get(pair)
  if (known !== undefined) return known
  const found = isOneMeaning(from, to) ? 2 : isNear(from, to) ? 1 : 0
  answers.set(pair, found)
  return found
}

/** "At 10" and "at 10:00". */
const isHour = (number: string, time: string): boolean => {
  const hour = /^number:(\d{1,2})$/.exec(number)?.[1]
  return hour !== undefined && time === `time:${hour.padStart(2, "0")}:00`
}

const isOneMeaning = (from: Item, to: Item): boolean => {
  if (alike(from, to) || from.lemma.length > 5 && joined(from) === joined(to)) return true
  if (from.kind === "name" || to.kind === "name") return from.text.toLowerCase() === to.text.toLowerCase()
  return derived(from.lemma, to.lemma)
}

/** "cert" for "certificate"; a car is no carpet. */
const shortened = (from: string, to: string): boolean =>
  from.length >= 3 && to.length > from.length + 2 && to.startsWith(from) && !isKnown(from)

const inflection = /(?:ing|ed|es|s|d)$/

/** Words of no dictionary, inflected: "force-pushing" and "force-pushes". */
const inflected = (from: string, to: string): boolean =>
  from.length >= 5 && to.length >= 5 && /^[a-z-]+$/.test(from + to) &&
  from.replace(inflection, "") === to.replace(inflection, "")

const isNear = (from: Item, to: Item): boolean => {
  // Williams is not William; what has a hyphen is hardly a name.
  const common = /-/.test(from.text) || !/^\p{Lu}/u.test(from.text) || !/^\p{Lu}/u.test(to.text)
  if (common && inflected(from.text.toLowerCase(), to.text.toLowerCase())) return true
  if (from.kind === "name" || to.kind === "name") return false
  if (shortened(from.lemma, to.lemma) || shortened(to.lemma, from.lemma)) return true
  return from.kind === to.kind && (from.kind === "verb" || from.kind === "noun") &&
    related(from.lemma, to.lemma, from.kind === "verb" ? "v" : "n")
}
