/**
 * Verbs that say little: what stands beside them carries the claim ("the office is located in", "takes place at nine",
 * "works as a nurse"). A claim that has one and a claim that has none may say the same.
 */
import { complements, type Frame, type Item } from "./ClaimFrame.ts"
import { nounFields } from "./ClaimLexicon.ts"
import { lightVerbs, questions } from "./ClaimVerbs.ts"

/** Verbs that a copula can stand for: "works at Google as …" and "is … at Google". */
export const weak: ReadonlySet<string> = new Set([
  "stay",
  "sit",
  "stand",
  "lie",
  "locate",
  "happen",
  "schedule",
  "set",
  "place",
  "base",
  "occur",
  "store",
  "keep",
  "run",
  "hold",
  "consist",
  "comprise"
])

export const occurring: ReadonlySet<string> = new Set(["happen", "hold", "occur", "schedule"])
export const running: ReadonlySet<string> = new Set(["end", "expire"])
export const resting: ReadonlySet<string> = new Set(["locate", "sit", "stand", "lie", "place", "base", "store", "keep"])

/** Verbs that say no more than the dimension of the value beside them. */
export const valued: ReadonlyArray<readonly [RegExp, ReadonlySet<string>]> = [
  [/^money/, new Set(["cost", "total", "amount", "come"])],
  [/^duration|^months/, new Set(["last", "take", "run"])],
  [/^mass|^unit/, new Set(["weigh", "measure"])],
  [/^length/, new Set(["measure"])],
  [/^(?:time|date|weekday)/, new Set(["move", "reschedule", "shift"])],
  [/^(?:time|date|weekday)/, new Set(["last", "begin", "happen", "occur", "schedule", "hold", "set", "fall", "plan"])]
]

// WordNet's file of persons: "works as a nurse" is "is a nurse".
const isRole = ({ kind, lemma }: Item) => kind === "noun" && nounFields(lemma).includes(18)

const isPort = ({ lemma }: Item) => lemma === "port"

/** A verb whose meaning the place or the value beside it carries. */
export const saysLittle = ({ concept, kind }: Item, frame: Frame): boolean =>
  kind === "verb" &&
  (weak.has(concept) || concept === "listen" && [...frame.subject, ...complements(frame)].some(isPort) ||
    (concept === "work" && complements(frame).some(isRole)) ||
    complements(frame).some(({ value }) =>
      value !== undefined && valued.some(([dimension, verbs]) => dimension.test(value.dimension) && verbs.has(concept))
    ))

/** What was is not what is; a plan may be told as a fact. */
export const tensesDiffer = (one: Frame, other: Frame): boolean => {
  if (one.tense === other.tense || one.verb === "born" && one.tense !== "future" && other.tense !== "future") {
    return false
  }
  const [past, rest] = one.tense === "past" ? [one, other] : [other, one]
  // "was moved" and "has been moved" are one event; what was closed need not be, what smoked does not smoke.
  if (past.tense === "past") return past.perfect || !rest.perfect || stative(past) || rest.tense === "future"
  // What will be on 3 May is on 3 May; who will be a nurse is none.
  return !complements(one).some(({ value }) => value !== undefined && /^(?:time|date|weekday)$/.test(value.dimension))
}

const stative = (frame: Frame): boolean =>
  !frame.passive && (lightVerbs.has(frame.verb) || questions.has(frame.verb) || weak.has(frame.verb))
