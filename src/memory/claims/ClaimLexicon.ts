/**
 * What English words can be, from WordNet's own tables (which the lemmatizer holds in memory anyway): parts of speech
 * of a form, and the broad fields its noun senses lie in (animal, food, place …). Two nouns without a common field are
 * hardly two answers to one question. A word that is not in the tables has neither.
 */
import { createRequire } from "node:module"
import lemmatizer from "wink-lemmatizer"

// By require: an import would scan two megabytes of tables for export names, which takes half a second.
const require = createRequire(import.meta.url)

/** An English form (inflected ones too) and its Penn Treebank tags, the most frequent first. */
const forms: Record<string, ReadonlyArray<string>> = require("wink-lexicon/src/lexicon.js")
/** A base form and the number of its set of senses. */
const baseForms: Record<string, number> = require("wink-lexicon/src/wn-words.js")
/** A number of `baseForms` and the lexicographer's files its senses lie in. */
const senseSets: Record<string, ReadonlyArray<number>> = require("wink-lexicon/src/wn-word-senses.js")

const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** The lexicographer's files of a base form: 0-2 and 44 adjectives and adverbs, 3-28 nouns, 29-43 verbs. */
const fieldsOf = (base: string): ReadonlyArray<number> => {
  const set = own(baseForms, base)
  return set === undefined ? [] : own(senseSets, String(set)) ?? []
}

const isNounField = (field: number) => field >= 3 && field <= 28
const isVerbField = (field: number) => field >= 29 && field <= 43
const isAdjectiveField = (field: number) => field <= 1 || field === 44

export interface Forms {
  readonly noun: boolean
  readonly verb: boolean
  readonly adjective: boolean
  readonly adverb: boolean
  /** Penn Treebank tags of the form as written, most frequent first; empty for a form that is not listed. */
  readonly tags: ReadonlyArray<string>
}

const none: Forms = { noun: false, verb: false, adjective: false, adverb: false, tags: [] }
const plain = /^[a-z]{2,32}$/

const remembered = new Map<string, Forms>()
// About what a busy namespace uses; the table is cleared when it is full, so that memory stays bounded.
const mostRemembered = 20_000

/** What a lower-case form can be. */
export const formsOf = (low: string): Forms => {
  if (!plain.test(low)) return none
  const known = remembered.get(low)
  if (known !== undefined) return known
  const tags = own(forms, low) ?? []
  const noun = fieldsOf(low).some(isNounField) || fieldsOf(lemmatizer.noun(low)).some(isNounField)
  const verb = fieldsOf(low).some(isVerbField) || fieldsOf(lemmatizer.verb(low)).some(isVerbField)
  const fields = fieldsOf(low)
  const found: Forms = {
    noun: noun || tags.some((tag) => tag.startsWith("NN")),
    verb: verb || tags.some((tag) => tag.startsWith("VB")),
    adjective: fields.some(isAdjectiveField) || tags.some((tag) => tag.startsWith("JJ")),
    adverb: fields.includes(2) || tags.some((tag) => tag.startsWith("RB")),
    tags
  }
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(low, found)
  return found
}

/** Whether WordNet or the list of forms has the word at all. */
export const isKnown = (low: string): boolean => {
  const { adjective, adverb, noun, tags, verb } = formsOf(low)
  return noun || verb || adjective || adverb || tags.length > 0
}

/** "Boss" is no plural. */
export const nounLemma = (low: string): string => plain.test(low) && !low.endsWith("ss") ? lemmatizer.noun(low) : low

const verbLemmas = new Map<string, string>()
/** Kept: a claim's verb is asked for beside every peer. */
export const verbLemma = (low: string): string => {
  const known = verbLemmas.get(low)
  if (known !== undefined) return known
  const lemma = plain.test(low) ? lemmatizer.verb(low) : low
  if (verbLemmas.size >= mostRemembered) verbLemmas.clear()
  verbLemmas.set(low, lemma)
  return lemma
}
export const adjectiveLemma = (low: string): string => plain.test(low) ? lemmatizer.adjective(low) : low

/** The fields of a noun's senses, empty when it is none or unknown. */
export const nounFields = (lemma: string): ReadonlyArray<number> => fieldsOf(lemma).filter(isNounField)
