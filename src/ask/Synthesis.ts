/**
 * An answer in a model's words, over kept evidence alone: what is shown of each memory, and which of the sentences that
 * come back are borne by what they cite. Pure; asking the model is `Ask`'s. Nothing that is dropped is repaired.
 */
import type { ClaimCache } from "../memory/claims/ClaimCache.ts"
import type { Record } from "./AskPrompt.ts"
import { statedIn } from "./AskReply.ts"
import type { Evidence, Quote } from "./EvidenceModel.ts"
import { contradicting } from "./Extract.ts"
import type { Scored } from "./Extract.ts"
import { sentencesOf, speakerOf } from "./Sentences.ts"
import { isBorne } from "./Support.ts"
import type { Bearer } from "./Support.ts"

/** What is shown of one memory, and how it is told. */
export interface Shown {
  readonly quote: Quote
  readonly record: Record
}

// A small model loses its way among more, and what ranks behind them seldom holds the answer.
const MOST_RECORDS = 8
// A spoken turn or a paragraph: enough to see what its best sentence is about.
const LONGEST_SHOWN = 700

/** The best memories with the run of sentences around the best of each, best memory first. */
export const shownOf = (ranked: ReadonlyArray<Scored>): ReadonlyArray<Shown> => {
  const best = new Map<Evidence, Scored>()
  for (const sentence of ranked) if (!best.has(sentence.evidence)) best.set(sentence.evidence, sentence)
  const chosen = [...best.values()].slice(0, MOST_RECORDS)
  const evidence = chosen.map((sentence) => sentence.evidence)
  return chosen.map((sentence, at) => ({
    quote: around(sentence),
    record: {
      id: at + 1,
      text: around(sentence).text,
      date: dateOf(sentence.evidence),
      speaker: speakerOf(sentence),
      key: sentence.evidence.head.memory_key,
      contradicts: contradicting(sentence.evidence, evidence).map((other) => evidence.indexOf(other) + 1)
    }
  }))
}

/** The run of sentences around one, as far as there is room, what comes behind it first. */
const around = ({ evidence, index }: Scored): Quote => {
  const all = sentencesOf(evidence)
  let [from, to] = [index, index]
  const length = (first: number, last: number) => (all[last]?.end ?? 0) - (all[first]?.start ?? 0)
  for (;;) {
    if (to + 1 < all.length && length(from, to + 1) <= LONGEST_SHOWN) to++
    else if (from > 0 && length(from - 1, to) <= LONGEST_SHOWN) from--
    else break
  }
  const start = all[from]?.start ?? 0
  const end = all[to]?.end ?? start
  return { evidence, start, end, text: evidence.text.slice(start - evidence.offset, end - evidence.offset) }
}

const dateOf = ({ head }: Evidence): string | null => {
  const date = head.valid_at ?? head.temporal_anchor
  // An undated row carries the first instant of 1970.
  return date === null || date === 0 ? null : new Date(date).toISOString().slice(0, 10)
}

const months = ("January February March April May June July August September October November December").split(" ")

const bearerOf = ({ quote: { evidence, text }, record }: Shown): Bearer => {
  const [year, month, day] = record.date?.split("-") ?? []
  const date = record.date === null ? "" : `${record.date} ${Number(day)} ${months[Number(month) - 1] ?? ""} ${year}`
  return {
    text,
    facts: [record.key.replace(/[/_.:-]+/g, " "), record.speaker ?? "", date, ...evidence.head.entities].join("\n")
  }
}

export interface Synthesis {
  /** The sentences that are borne, each behind its citations; empty when there is none. */
  readonly answer: string
  /** What the answer rests on: citation [1] is the first. */
  readonly quotes: ReadonlyArray<Quote>
  readonly kept: number
  readonly dropped: number
}

/** What stands of a reply: within so many characters, citations numbered anew in the order of the answer. */
export const synthesized = (
  question: string,
  shown: ReadonlyArray<Shown>,
  reply: string,
  maxChars: number,
  claims: Pick<ClaimCache, "compare">
): Synthesis => {
  const byId = new Map(shown.map((one) => [one.record.id, one]))
  const quotes: Array<Quote> = []
  const sentences: Array<string> = []
  let [length, dropped] = [0, 0]
  for (const { cited, text } of statedIn(reply)) {
    const bearers = cited.map((id) => byId.get(id))
    const known = bearers.filter((one) => one !== undefined)
    if (known.length === 0 || known.length < bearers.length || !isBorne(text, known.map(bearerOf), question, claims)) {
      dropped++
      continue
    }
    const fresh = known.map(({ quote }) => quote).filter((quote) => !quotes.includes(quote))
    const all = [...quotes, ...fresh]
    const marks = known.map(({ quote }) => `[${all.indexOf(quote) + 1}]`).join("")
    const sentence = `${text} ${marks}`
    // What does not fit is left out and not counted: nothing was wrong with it.
    if (length + sentence.length + (length === 0 ? 0 : 1) > maxChars) continue
    length += sentence.length + (length === 0 ? 0 : 1)
    quotes.push(...fresh)
    sentences.push(sentence)
  }
  return { answer: sentences.join(" "), quotes, kept: sentences.length, dropped }
}
