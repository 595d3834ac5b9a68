/**
 * Text as search sees it. Index side and query side go through the same functions, so a word matches itself in any
 * case, width or accent: `words` cuts, `stems` and `lemmas` reduce, `queryTerms` leaves out the words that carry no
 * meaning. All are pure, linear in the length of the text, and take any string, lone surrogates included. The parts:
 * `AnalyzerWords` (cutting), `AnalyzerCanonical` (equality of claims), `AnalyzerChunks` (pieces of long texts).
 */
import { stemmer } from "@orama/stemmers/english"
import lemmatizer from "wink-lemmatizer"
import { unaccented } from "./AnalyzerFold.ts"
import { stopWords } from "./AnalyzerStopWords.ts"
import { words } from "./AnalyzerWords.ts"

export { canonical, isBlank } from "./AnalyzerCanonical.ts"
export { chunks, excerpt } from "./AnalyzerChunks.ts"
export type { Chunk } from "./AnalyzerChunks.ts"
export { folded, lowered, seen } from "./AnalyzerFold.ts"
export { spelledWords } from "./AnalyzerScripts.ts"
export { words } from "./AnalyzerWords.ts"

/** What the index keeps of a text, in order and with repeats. */
export interface IndexTerms {
  readonly words: ReadonlyArray<string>
  readonly stems: ReadonlyArray<string>
  readonly lemmas: ReadonlyArray<string>
}

/** What a question asks for: each list without repeats and without stop words, unless there is nothing else. */
export interface QueryTerms {
  readonly stems: ReadonlyArray<string>
  readonly lemmas: ReadonlyArray<string>
}

/** The English stems of the words, `folded`; names, numbers and words of other scripts stay whole. */
export const stems = (text: string): Array<string> => words(text).map((word) => stem(unaccented(word)))

/** The dictionary forms of the words as noun, verb and adjective, or the word itself where there is no other. */
export const lemmas = (text: string): Array<string> => words(text).flatMap((word) => lemmasOf(unaccented(word)))

/** `words`, `stems` and `lemmas` of one text, cut once. */
export const indexTerms = (text: string): IndexTerms => {
  const cut = words(text)
  const plain = cut.map(unaccented)
  return { words: cut, stems: plain.map(stem), lemmas: plain.flatMap(lemmasOf) }
}

/** The stems and lemmas to look up for a question; never empty for a text that has words. */
export const queryTerms = (text: string): QueryTerms => {
  const all = words(text).map(unaccented)
  const telling = all.filter((word) => !stopWords.has(word))
  const kept = telling.length > 0 ? telling : all
  return { stems: [...new Set(kept.map(stem))], lemmas: [...new Set(kept.flatMap(lemmasOf))] }
}

// Only plain English letters; longer ones are no English words, and the stemmer's patterns stay quick on these.
const english = /^[a-z]{3,32}$/

// The stemmer makes every last y an i, so that deploy would be deploi and miss deployment; after a vowel it stays.
const stem = (word: string): string => english.test(word) ? stemmer(word).replace(/([aeou])i$/, "$1y") : word

/** Several forms for a word that is several ("leaves" is leaf and leave); text and question get the same ones. */
const lemmasOf = (word: string): Array<string> => {
  if (!english.test(word)) return [word]
  const forms = new Set([lemmatizer.noun(word), lemmatizer.verb(word), lemmatizer.adjective(word)])
  forms.delete(word)
  return forms.size > 0 ? [...forms] : [word]
}
