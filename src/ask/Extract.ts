/**
 * Which sentences answer a question when nothing may be said in other words: those that hold the question's words, rare
 * ones counting more, in a memory that is relevant, with a thing of the kind that is asked for. Both sides of a
 * contradiction are told. Every quote is a verbatim part of a stored value.
 */
import { canonical, excerpt, stems } from "../platform/Analyzer.ts"
import type { Evidence, Quote, Sentence } from "./EvidenceModel.ts"
import { isInstruction } from "./Instructions.ts"
import { answers, heldIn } from "./Questions.ts"
import type { Question } from "./Questions.ts"
import { bodyOf, sentencesOf } from "./Sentences.ts"

export interface Scored extends Sentence {
  /** The sum of its parts; only compared with others of one question. */
  readonly score: number
  /** The share of the question's words that it holds itself, 0 to 1. */
  readonly own: number
}

// The sentence's own words are what it says; those of its memory say what it is about, the key and the names included.
const OWN = 1
const ABOUT = 0.4
// A sentence that holds a date is the likelier answer to "when", not the answer whatever else it says.
const KIND = 0.3
const RELEVANCE = 0.5
// A sentence that speaks to its reader is hardly an answer; it stands behind any other.
const INSTRUCTS = -2

/** Every sentence of the evidence with what it is worth, best first. */
export const scored = (question: Question, evidence: ReadonlyArray<Evidence>): ReadonlyArray<Scored> => {
  const all = evidence.flatMap(sentencesOf)
  const held = all.map(({ text }) => heldIn(text, question.terms))
  const weights = question.terms.map((_, at) => {
    const holding = held.filter((terms) => terms.has(at)).length
    return Math.log(1 + (all.length + 1) / (holding + 0.5))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const share = (terms: ReadonlySet<number>) =>
    total === 0 ? 0 : weights.reduce((sum, weight, at) => sum + (terms.has(at) ? weight : 0), 0) / total
  const about = new Map(evidence.map((one) => [one, share(heldIn(aboutOf(one), question.terms))]))
  return all.map((sentence, at): Scored => ({
    ...sentence,
    own: share(held[at] ?? new Set()),
    score: OWN * share(held[at] ?? new Set()) + ABOUT * (about.get(sentence.evidence) ?? 0) +
      KIND * answers(question, sentence.text) + RELEVANCE * sentence.evidence.relevance +
      (isInstruction(sentence.text) ? INSTRUCTS : 0)
  })).sort((one, other) =>
    other.score - one.score || other.evidence.relevance - one.evidence.relevance ||
    other.evidence.head.created_at - one.evidence.head.created_at ||
    compare(one.evidence.head.memory_id, other.evidence.head.memory_id) || one.index - other.index
  )
}

const compare = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0

const aboutOf = ({ head, text }: Evidence): string =>
  `${text}\n${head.memory_key.replace(/[/_.:-]+/g, " ")}\n${head.entities.join("\n")}`

// An answer is read at a glance; what more there is stands among the results.
const MOST_QUOTES = 3
// A sentence that is worth much less than the best is about something else.
const NEAR_BEST = 0.75
// Two sentences of nearly the same words tell one thing.
const SAME_WORDS = 0.8

/** The quotes that answer, within so many characters with a line break between each; one at least if there is a sentence. */
export const quotesOf = (
  ranked: ReadonlyArray<Scored>,
  evidence: ReadonlyArray<Evidence>,
  maxChars: number,
  first: ReadonlyArray<Sentence> = []
): ReadonlyArray<Quote> => {
  const best = ranked[0]
  if (best === undefined) return []
  const chosen: Array<Sentence> = [...first]
  const add = (sentence: Sentence) => {
    if (!chosen.some((one) => saysSame(one, sentence))) chosen.push(sentence)
  }
  for (const sentence of ranked) {
    if (chosen.length >= Math.max(MOST_QUOTES, first.length)) break
    const isFar = sentence.score < best.score * NEAR_BEST || sentence.score < best.score + INSTRUCTS / 2
    if (isFar && sentence !== best) break
    // What holds no word of the question may answer it in other words; of several such only the likeliest is told.
    if (sentence.own > 0 || chosen.length === 0) add(sentence)
  }
  const told = withContradictions(chosen, ranked, evidence)
  return within(joined(told.map(ledIn)), maxChars)
}

/** Behind each sentence, that of any memory which contradicts it. */
const withContradictions = (
  chosen: ReadonlyArray<Sentence>,
  ranked: ReadonlyArray<Scored>,
  evidence: ReadonlyArray<Evidence>
): ReadonlyArray<Sentence> => {
  const out: Array<Sentence> = []
  for (const sentence of chosen) {
    if (!out.includes(sentence)) out.push(sentence)
    for (const other of contradicting(sentence.evidence, evidence)) {
      const known = out.find((one) => one.evidence === other) ?? chosen.find((one) => one.evidence === other)
      const its = known ?? ranked.find((one) => one.evidence === other)
      if (its !== undefined && !out.includes(its)) out.push(its)
    }
  }
  return out
}

/** The memories among these that contradict one. */
export const contradicting = (one: Evidence, evidence: ReadonlyArray<Evidence>): ReadonlyArray<Evidence> =>
  evidence.filter((other) =>
    other !== one &&
    (one.conflict_with.includes(other.head.memory_id) || other.conflict_with.includes(one.head.memory_id))
  )

const saysSame = (one: Sentence, other: Sentence): boolean => {
  if (one.evidence === other.evidence && one.index === other.index) return true
  const [ours, theirs] = [bodyOf(one.text), bodyOf(other.text)]
  if (canonical(ours) === canonical(theirs)) return true
  const [left, right] = [new Set(stems(ours)), new Set(stems(theirs))]
  const shared = [...left].filter((stem) => right.has(stem)).length
  // One differing number or name is another claim.
  return shared > 0 && shared / Math.max(left.size, right.size) >= SAME_WORDS &&
    [...left, ...right].filter((stem) => !(left.has(stem) && right.has(stem))).every((stem) =>
      /^[a-z]{1,4}$/.test(stem)
    )
}

const pronoun = /^(?:he|she|it|they|this|that|these|those|his|her|their|its|there)\b/iu

/** With the sentence before, where this one begins with a word that points back to it. */
const ledIn = (sentence: Sentence): Quote => {
  const { evidence, index, start } = sentence
  const before = index > 0 && pronoun.test(bodyOf(sentence.text)) ? sentencesOf(evidence)[index - 1] : undefined
  const from = before === undefined || isInstruction(before.text) ? start : before.start
  const text = evidence.text.slice(from - evidence.offset, sentence.end - evidence.offset)
  // A quote stays on one line, so that the lines of an answer are its quotes.
  return /[\n\r]/.test(text)
    ? { evidence, text: sentence.text, start, end: sentence.end }
    : { evidence, text, start: from, end: sentence.end }
}

/** Quotes of one memory that overlap or follow each other on a line are one quote, in the place of the first. */
const joined = (quotes: ReadonlyArray<Quote>): ReadonlyArray<Quote> => {
  const out: Array<Quote> = []
  for (const quote of quotes) {
    const at = out.findIndex((other) => union(other, quote) !== null)
    const other = out[at]
    const both = other === undefined ? null : union(other, quote)
    if (both === null) out.push(quote)
    else out[at] = both
  }
  return out
}

const union = (one: Quote, other: Quote): Quote | null => {
  if (one.evidence !== other.evidence) return null
  const { offset, text: whole } = one.evidence
  const [start, end] = [Math.min(one.start, other.start), Math.max(one.end, other.end)]
  const between = whole.slice(Math.min(one.end, other.end) - offset, Math.max(one.start, other.start) - offset)
  if (between.trim() !== "" || /[\n\r]/.test(between)) return null
  return { evidence: one.evidence, start, end, text: whole.slice(start - offset, end - offset) }
}

const within = (quotes: ReadonlyArray<Quote>, maxChars: number): ReadonlyArray<Quote> => {
  const out: Array<Quote> = []
  let length = 0
  for (const quote of quotes) {
    const room = maxChars - length - (out.length === 0 ? 0 : 1)
    if (quote.text.length <= room) out.push(quote)
    else if (out.length === 0) out.push(shortened(quote, maxChars))
    else continue
    length += (out.length === 1 ? 0 : 1) + (out.at(-1)?.text.length ?? 0)
  }
  return out
}

/** The beginning of a quote, up to the end of a word where it can be. */
const shortened = (quote: Quote, most: number): Quote => {
  const text = excerpt(quote.text, most).trimEnd()
  return { ...quote, text, end: quote.start + text.length }
}
