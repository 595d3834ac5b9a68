/**
 * Whether a sentence that a model wrote is borne by the memories it cites: every number and every name stands in them,
 * nearly all of its words do, and it denies nothing they do not deny. What only the question says bears no name or number.
 * Strict on purpose: a sentence that is dropped is made good by a quote, one that is wrong by nothing.
 */
import type { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { lemmas, stems, words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { isInstruction } from "./Instructions.ts"
import { spansOf } from "./Sentences.ts"

/** What a sentence may rest on: the text that was shown, and what is told of it (who, when, the names of its things). */
export interface Bearer {
  readonly text: string
  readonly facts: string
}

// A paraphrase has some words of its own; a fourth is about one in a short sentence.
const MOST_FOREIGN = 0.25

const denial = /\b(?:not|never|no|nobody|none|neither|nor|without|cannot|stopped|quit|ceased)\b|n['’]t\b/iu

const numberWords = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen twenty").split(" ")
const tens = "thirty forty fifty sixty seventy eighty ninety hundred thousand million billion".split(" ")
const times: Readonly<Record<string, string>> = { once: "1", twice: "2", thrice: "3", dozen: "12", half: "half" }

/** The numbers of a text, those in words too; "one" is left out, since it mostly counts nothing. */
export const numbersIn = (text: string): ReadonlySet<string> => {
  const digits = [...text.matchAll(/\d+(?:[.,:]\d+)*/g)].map(([found]) => found.replace(/,(?=\d{3}\b)/g, ""))
  const spelt = words(text).flatMap((word) => {
    const at = numberWords.indexOf(word)
    return at === 1 ? [] : at >= 0 ? [String(at)] : tens.includes(word) ? [word] : times[word] ?? []
  })
  return new Set([...digits.map((found) => found.replace(/^0+(?=\d)/, "")), ...spelt])
}

const formsOf = (text: string): ReadonlySet<string> => new Set([...words(text), ...stems(text), ...lemmas(text)])

const holds = (forms: ReadonlySet<string>, word: string): boolean =>
  forms.has(word) || [...stems(word), ...lemmas(word)].some((form) => forms.has(form))

// Words of a sentence's own that link and hedge; they state nothing.
const linking = new Set(
  ("according based currently however overall yes additionally also both while although memory memories evidence record " +
    "records stored store states state says said mentioned mentions note notes reported reports question answer user known")
    .split(" ")
)

/** Whether the sentence, without its citations, is borne by what it cites. */
export const isBorne = (
  sentence: string,
  bearers: ReadonlyArray<Bearer>,
  question: string,
  claims: Pick<ClaimCache, "compare">
): boolean => {
  const told = bearers.flatMap(({ text }) =>
    spansOf(text).map(({ end, start }) => text.slice(start, end)).filter((one) => !isInstruction(one))
  )
  if (told.length === 0 || isInstruction(sentence)) return false
  const evidence = [...told, ...bearers.map(({ facts }) => facts)].join("\n")
  const numbers = numbersIn(evidence)
  if (![...numbersIn(sentence)].every((number) => numbers.has(number))) return false
  const forms = formsOf(evidence)
  if (!namesOf(sentence).every((name) => words(name).every((word) => holds(forms, word)))) return false
  const content = [...new Set(words(sentence))].filter((word) => !stopWords.has(word) && !linking.has(word))
  const ours = content.filter((word) => holds(forms, word))
  if (ours.length === 0) return false
  const asked = formsOf(question)
  const foreign = content.filter((word) => !holds(forms, word) && !holds(asked, word))
  if (foreign.length > content.length * MOST_FOREIGN) return false
  if (denial.test(sentence) && !told.some((one) => denial.test(one))) return false
  const relations = told.map((one) => claims.compare(one, sentence, 0).relation)
  return !relations.includes("differs") || relations.includes("same")
}

/** Addresses, and words with a capital; of the first word only one that no sentence begins with otherwise. */
const namesOf = (sentence: string): ReadonlyArray<string> => {
  const addresses = sentence.match(
    /\b(?:https?:\/\/|www\.)\S+|\S+@\S+\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|example)\b/giu
  ) ?? []
  const capitals = [...sentence.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}_'’-]*/gu)]
    .map(({ 0: word, index }) => ({
      word: word.replace(/['’]s$/u, ""),
      isFirst: sentence.slice(0, index).trim() === ""
    }))
    .filter(({ isFirst, word }) => {
      const low = word.toLowerCase()
      if (stopWords.has(low.replace(/['’]/g, ""))) return false
      return !isFirst || !(linking.has(low) || denial.test(low) || low.endsWith("ly"))
    })
    .map(({ word }) => word)
  return [...addresses, ...capitals]
}
