/**
 * The tokens of an English sentence as a grammar wants them: values and bounds of several words are one element, idle
 * phrases are gone, and a preference said with "likes most" or "likes better" is said in one way.
 */
import { formsOf, isKnown } from "./ClaimLexicon.ts"
import { denies } from "./ClaimNegation.ts"
import { boundAt, quantifierOf } from "./ClaimQuantifiers.ts"
import type { Token } from "./ClaimTokens.ts"
import type { Found, Value } from "./ClaimValue.ts"
import { valueAt } from "./ClaimValues.ts"
import * as Words from "./ClaimWords.ts"

/** A token with its role, or several that are one value. */
export interface Element {
  readonly token: Token
  readonly low: string
  readonly value?: Value
  readonly quantifier?: string
  /** It is a word of a key in snake case. */
  readonly part?: boolean
  /** It is a name although the word is a common one. */
  readonly named?: boolean
}

/** Phrases that may be left out of a claim about the present. */
const idlePhrases = [
  "at all",
  "each other",
  "one another",
  "as well",
  "right now",
  "from now on",
  "these days",
  "in general",
  "of course",
  "at the moment",
  "for now",
  "at present",
  "in total",
  "in fact"
].map((phrase) => phrase.split(" "))

const idleAt = (words: ReadonlyArray<string>, i: number): number =>
  // "version 2.1" is 2.1.
  /^(?:version|release|ver)$/.test(words[i]!) && /^v?\d/.test(words[i + 1] ?? "")
    ? 1
    : idlePhrases.find((phrase) => phrase.every((word, k) => words[i + k] === word))?.length ?? 0

const wholeSpans: Readonly<Record<string, string>> = {
  "duration:60": "minute",
  "duration:3600": "hour",
  "duration:86400": "day",
  "duration:604800": "week",
  "months:1": "month",
  "months:12": "year"
}

/** `every 5 minutes`, `every two weeks`: a span of repetition. */
const everyAt = (tokens: ReadonlyArray<Token>, i: number): Found | undefined => {
  if (!/^(?:every|each)$/.test(tokens[i]!.low) || i + 1 >= tokens.length) return undefined
  const span = valueAt(tokens, i + 1, "en")
  if (span === undefined || !/^(?:duration|months)$/.test(span.value.dimension)) return undefined
  return {
    value: {
      dimension: "repeat",
      key: `repeat:${wholeSpans[span.value.key] ?? span.value.key}`,
      text: `${tokens[i]!.text} ${span.value.text}`
    },
    length: 1 + span.length
  }
}

/** `twice a day`, `three times per week`, `once a month`: how often is one value. */
const oftenAt = (tokens: ReadonlyArray<Token>, i: number, count: Found): Found | undefined => {
  if (count.value.dimension !== "number") return undefined
  const times = tokens[i + count.length]?.low === "times"
  if (!times && !/^(?:once|twice|thrice)$/.test(tokens[i]!.low)) return undefined
  const at = i + count.length + (times ? 1 : 0)
  const span = at < tokens.length ? valueAt(tokens, at, "en") : undefined
  if (span?.value.dimension !== "repeat") return undefined
  const number = count.value.key.slice("number:".length)
  const length = at + span.length - i
  return {
    value: {
      dimension: "repeat",
      key: number === "1" ? span.value.key : `${span.value.key} x${number}`,
      text: tokens.slice(i, i + length).map(({ text }) => text).join(" ")
    },
    length
  }
}

export const elementsOf = (tokens: ReadonlyArray<Token>): Array<Element> => {
  const out: Array<Element> = []
  const words = tokens.map(({ low }) => low)
  for (let i = 0; i < tokens.length;) {
    const bound = boundAt(words, i)
    if (bound !== undefined) {
      out.push({ token: tokens[i]!, low: words[i]!, quantifier: bound.name })
      i += bound.length
      continue
    }
    const idle = idleAt(words, i)
    if (idle > 0) {
      i += idle
      continue
    }
    const found = everyAt(tokens, i) ?? valueAt(tokens, i, "en")
    const often = found === undefined ? undefined : oftenAt(tokens, i, found)
    if (often !== undefined) {
      out.push({ token: tokens[i]!, low: words[i]!, value: often.value })
      i += often.length
      continue
    }
    if (found !== undefined) {
      out.push({ token: tokens[i]!, low: words[i]!, value: found.value })
      i += found.length
      continue
    }
    if (/^[a-z]+(?:_[a-z]+)+$/.test(words[i]!)) {
      // "log_level" is the log level.
      const parts = words[i]!.split("_")
      for (const [k, part] of parts.entries()) {
        const whole = tokens[i]!
        const last = k === parts.length - 1
        const token = {
          ...whole,
          text: part,
          low: part,
          first: false,
          broken: whole.broken && k === 0,
          assigned: whole.assigned && last,
          possessive: whole.possessive && last
        }
        out.push({ token, low: part, part: true })
      }
      i++
      continue
    }
    const being = got[words[i]!]
    if (being !== undefined && isUndergone(words[i + 1] ?? "")) {
      out.push({ token: { ...tokens[i]!, text: being, low: being }, low: being })
      i++
      continue
    }
    out.push({ token: tokens[i]!, low: words[i]!, ...(startsName(tokens, i) ? { named: true } : {}) })
    i++
  }
  return out
}

const got: Readonly<Record<string, string>> = { get: "are", gets: "is", got: "was" }
// With these "got" tells an event, "is" its end.
const becoming = new Set("married engaged divorced started used lost involved interested".split(" "))

/** "Gets deleted": is deleted. */
const isUndergone = (low: string): boolean => low.endsWith("ed") && !becoming.has(low) && formsOf(low).verb

/** "Rose Adler", "Miles Orton": a common noun at the beginning, before another capital, is a first name. */
const startsName = (tokens: ReadonlyArray<Token>, i: number): boolean => {
  const [token, next] = [tokens[i]!, tokens[i + 1]]
  if (!token.first || token.possessive || next === undefined || next.broken || !/^\p{Lu}\p{Ll}/u.test(token.text)) {
    return false
  }
  if (!/^\p{Lu}\p{Ll}/u.test(next.text)) return false
  const { tags } = formsOf(token.low)
  return tags[0] === undefined ? formsOf(token.low).noun : tags[0].startsWith("NN") && !tags.includes("VB")
}

export const isAuxiliary = (low: string) =>
  Words.beForms.has(low) || Words.haveForms.has(low) || Words.doForms.has(low) || Words.modals.has(low)

export const isLittle = (low: string) =>
  Words.prepositions.has(low) || Words.determiners.has(low) || Words.pronouns.has(low) || Words.conjunctions.has(low) ||
  Words.possessives.has(low) || Words.fillers.has(low) || denies(low, "en") ||
  quantifierOf(low) !== undefined && !isAuxiliary(low)

export const looksLikeName = ({ named, token }: Element) =>
  named === true ||
  /^\p{Lu}/u.test(token.text) && (!token.first || !isKnown(token.low)) || /[\d_./\\@+#]/.test(token.text)

const liking = /^(?:likes?|liked|loves?|loved|enjoys?)$/

/** "the food Priya likes most" is "Priya's favourite food"; "likes X better" is "prefers X". */
export const preferring = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> => {
  const at = elements.findIndex(({ low }) => /^(?:most|best|better|more)$/.test(low))
  const verb = at < 0 ? -1 : elements.findLastIndex(({ low }, i) => i < at && liking.test(low))
  if (verb < 1) return elements
  const adverb = elements[at]!
  const whole = at === verb + 1 && /^(?:most|best)$/.test(adverb.low)
  const start = elements.findLastIndex(({ low }, i) => i < verb && Words.determiners.has(low) && low !== "a")
  if (whole && start >= 0 && verb - start >= 3 && verb - start <= 5) {
    const owner = elements[verb - 1]!
    const noun = elements.slice(start + 1, verb - 1).filter(({ low }) => !Words.relatives.has(low))
    const favourite: Element = { token: { ...adverb.token, text: "favourite", low: "favourite" }, low: "favourite" }
    const possessive: Element = owner.low === "i"
      ? { ...owner, low: "my" }
      : { ...owner, token: { ...owner.token, possessive: true } }
    return [...elements.slice(0, start), possessive, favourite, ...noun, ...elements.slice(at + 1)]
  }
  const than = elements[at + 1]
  if (at > verb + 1 && than?.low === "than" && /^(?:better|more)$/.test(adverb.low)) {
    const prefers: Element = { token: { ...elements[verb]!.token, text: "prefers", low: "prefers" }, low: "prefers" }
    const to: Element = { ...than, low: "to" }
    return [...elements.slice(0, verb), prefers, ...elements.slice(verb + 1, at), to, ...elements.slice(at + 2)]
  }
  if (at > verb + 1 && at === elements.length - 1) {
    const prefers: Element = { token: { ...elements[verb]!.token, text: "prefers", low: "prefers" }, low: "prefers" }
    return [...elements.slice(0, verb), prefers, ...elements.slice(verb + 1, at)]
  }
  return elements
}
