/** What a word of a claim counts as: its kind, its lemma, and the concept it stands for. */
import { type Element, looksLikeName } from "./ClaimElements.ts"
import type { Item, Kind } from "./ClaimFrame.ts"
import { adjectiveLemma, formsOf, isKnown, nounLemma, verbLemma } from "./ClaimLexicon.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import type { Token } from "./ClaimTokens.ts"
import type { Value } from "./ClaimValue.ts"
import * as Words from "./ClaimWords.ts"

/** "taller", "oldest": a comparison of an adjective. */
export const graded = (low: string): boolean => {
  if (!/(?:er|est)$/.test(low)) return false
  const plain = adjectiveLemma(low)
  return plain !== low && formsOf(plain).adjective
}

const kindOf = (element: Element, asVerb: boolean): Kind => {
  if (element.value !== undefined) return "value"
  if (asVerb) return "verb"
  if (Words.pronouns.has(element.low) || Words.possessives.has(element.low)) return "pronoun"
  if (looksLikeName(element)) return "name"
  const { adjective, adverb, noun, tags, verb } = formsOf(element.low)
  const first = tags[0] ?? ""
  if (first.startsWith("JJ")) return "adjective"
  if (first.startsWith("RB")) return "adverb"
  if (first.startsWith("VB")) return noun && first !== "VBD" && first !== "VBN" && first !== "VBG" ? "noun" : "verb"
  if (noun) return "noun"
  if (adjective) return "adjective"
  return adverb ? "adverb" : verb ? "verb" : graded(element.low) ? "adjective" : "name"
}

export const itemOf = (
  element: { readonly token: Token; readonly low: string; readonly value?: Value; readonly part?: boolean },
  asVerb = false
): Item => {
  const { low, token, value } = element
  if (value !== undefined) return { concept: value.key, lemma: value.key, text: value.text, kind: "value", value }
  const kind = kindOf(element, asVerb)
  const joined = low.replace(/(?<=\p{L})-(?=\p{L})/gu, "").replace(/'/g, "")
  let lemma = joined
  if (kind === "verb") lemma = verbLemma(joined)
  else if (kind === "noun" || kind === "name") {
    // A name keeps its s: William is not Williams. Acronyms have plurals.
    lemma = kind === "name" ? (/^[A-Z]{2,}s$/.test(token.text) ? joined.slice(0, -1) : joined) : nounLemma(joined)
  } else if (kind === "adjective" || kind === "adverb") {
    const adjective = adjectiveLemma(joined)
    lemma = adjective !== joined && isKnown(adjective) ? adjective : joined
  }
  // I and "the user" are one person in what an agent keeps.
  if (low === "born") lemma = "born"
  if (/^(?:i|me|my|mine|myself)$/.test(low)) lemma = "user"
  else if (/^(?:we|us|our|ours|ourselves)$/.test(low)) lemma = "we"
  else if (/^(?:your|yours|yourself)$/.test(low)) lemma = "you"
  else if (/^(?:his|him|himself)$/.test(low)) lemma = "he"
  else if (/^(?:her|hers|herself)$/.test(low)) lemma = "she"
  else if (/^(?:their|theirs|them|themselves)$/.test(low)) lemma = "they"
  else if (low === "its" || low === "itself") lemma = "it"
  const verbal = kind === "noun" || kind === "adjective" ? conceptOf(lemma) : undefined
  // "written", "planned": a participle is its verb.
  const concept = verbal !== undefined && verbal === lemma && kind === "adjective" && formsOf(lemma).verb
    ? conceptOf(verbLemma(lemma))
    : conceptOf(lemma)
  return { concept, lemma, text: token.text, kind, ...(element.part === true ? { part: true } : {}) }
}
