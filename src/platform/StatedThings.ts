/**
 * What a text states that another must not invent: its numbers, its names, whether it denies. Whatever a model wrote is held
 * against the stored texts it was made from by these. Pure.
 */
import { lemmas, stems, words } from "./Analyzer.ts"
import { stopWords } from "./AnalyzerStopWords.ts"

/** Words that deny. */
export const denial = /\b(?:not|never|no|nobody|none|neither|nor|without|cannot|stopped|quit|ceased)\b|n['’]t\b/iu

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

/** The words of a text, in all their forms. */
export const formsIn = (text: string): ReadonlySet<string> => new Set([...words(text), ...stems(text), ...lemmas(text)])

/** Whether one of these is a form of the word. */
export const holds = (forms: ReadonlySet<string>, word: string): boolean =>
  forms.has(word) || [...stems(word), ...lemmas(word)].some((form) => forms.has(form))

/** Words of a sentence's own that link and hedge; they state nothing. */
export const linking = new Set(
  ("according based currently however overall yes additionally also both while although memory memories evidence record " +
    "records stored store states state says said mentioned mentions note notes reported reports question answer user known")
    .split(" ")
)

/** Addresses, and words with a capital; of the first word only one that no sentence begins with otherwise. */
export const namesIn = (sentence: string): ReadonlyArray<string> => {
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
