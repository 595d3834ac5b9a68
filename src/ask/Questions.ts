/**
 * What a question asks for: its telling words, the names and numbers in it, and the kind of thing that would answer it (a
 * time, a number, a person, a place, a reason). `answers` says how far a sentence holds a thing of that kind.
 */
import { lemmas, queryTerms, stems, words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { bodyOf } from "./Sentences.ts"

export type Kind = "time" | "number" | "person" | "place" | "reason" | "other"

/** Words that count as one: a text holds the term when it holds its stem or a dictionary form. */
export interface Term {
  readonly stem: string
  readonly lemmas: ReadonlyArray<string>
}

export interface Question {
  readonly text: string
  readonly kind: Kind
  readonly terms: ReadonlyArray<Term>
  /** Its words as they are cut, in small letters. */
  readonly words: ReadonlySet<string>
}

const kinds: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["number", /\bhow\s+(?:many|much|often|long|old|far|tall|big|large|fast|high)\b|\b(?:what|which)\s+number\b/iu],
  ["time", /\bwhen\b|\bsince\s+when\b|\b(?:what|which)\s+(?:time|date|day|month|year|week)\b/iu],
  ["person", /\bwho(?:m|se)?\b/iu],
  ["place", /\bwhere\b|\b(?:what|which)\s+(?:city|town|country|place|room|street|address)\b/iu],
  ["reason", /\bwhy\b|\bhow\s+come\b|\bwhat\s+(?:made|caused)\b/iu]
]

export const questionOf = (text: string): Question => ({
  text,
  kind: kinds.find(([, sign]) => sign.test(text))?.[0] ?? "other",
  terms: termsOf(text),
  words: new Set(words(text))
})

const termsOf = (text: string): ReadonlyArray<Term> => {
  const telling = new Set(queryTerms(text).stems)
  const terms = new Map<string, Term>()
  for (const word of words(text)) {
    const stem = stems(word)[0] ?? word
    if (telling.has(stem)) terms.set(stem, { stem, lemmas: lemmas(word) })
  }
  return [...terms.values()]
}

/** Which of a question's terms a text holds, by their place. */
export const heldIn = (text: string, terms: ReadonlyArray<Term>): ReadonlySet<number> => {
  const stemsHeld = new Set(stems(text))
  const lemmasHeld = new Set(lemmas(text))
  return new Set(
    terms.flatMap(({ lemmas, stem }, at) =>
      stemsHeld.has(stem) || lemmas.some((lemma) => lemmasHeld.has(lemma)) ? [at] : []
    )
  )
}

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|" +
  "nov(?:ember)?|dec(?:ember)?"
const days = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
const time = new RegExp(
  `\\b(?:${months}|${days}|(?:19|20)\\d\\d|\\d{1,2}:\\d{2}|\\d{1,2}\\s?[ap]m|yesterday|today|tonight|tomorrow|noon|midnight|` +
    "(?:last|next|this|every|each)\\s+(?:night|day|week|weekend|month|year|spring|summer|autumn|fall|winter|morning|evening|" +
    `${days})|(?:days?|weeks?|months?|years?)\\s+ago|(?:at|by|from|until)\\s+(?:\\d{1,2}|one|two|three|four|five|six|seven|` +
    "eight|nine|ten|eleven|twelve))\\b",
  "iu"
)
// "May" is a month with its capital only; "may" is a word of doubt.
const may = /\bMay\b/u
const number =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|once|twice|daily|weekly|monthly)\b/iu
const reason = /\b(?:because|since|so that|due to|in order to|that'?s why|as a result|therefore|thanks to|caused)\b/iu
const place = /\b(?:in|at|from|to|near|outside|inside|into|behind|under)\s+(?:the\s+|a\s+)?\p{Lu}/u
const somewhere = /\b(?:in|at|on|near|under|behind|inside|outside|above|below|beside)\s+\p{L}/iu

/** The words of a text that begin with a capital and are no stop words, as written. */
export const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}'’-]*/gu)]
    .map(([name]) => name.replace(/['’]s$/u, ""))
    .filter((name) => !stopWords.has(name.toLowerCase().replace(/['’]/g, "")))

/** How far a sentence holds a thing of the kind asked for: 0, 0.5 or 1. A date in the header of a turn counts half. */
export const answers = ({ kind, words: asked }: Question, sentence: string): number => {
  const body = bodyOf(sentence)
  const isTime = (text: string) => time.test(text) || may.test(text)
  switch (kind) {
    case "time":
      return isTime(body) ? 1 : isTime(sentence) ? 0.5 : 0
    case "number":
      return number.test(body) ? 1 : 0
    case "person":
      return namesIn(body).some((name) => words(name).every((word) => !asked.has(word))) ? 1 : 0
    case "place":
      return place.test(body) ? 1 : somewhere.test(body) ? 0.5 : 0
    case "reason":
      return reason.test(body) ? 1 : 0
    case "other":
      return 0
  }
}
