/**
 * A text as its sentences, each a verbatim part of it. A line ends a sentence too, so that none spans two; a point that
 * belongs to an abbreviation, an initial or a number ends none. Pure and linear in the length of the text.
 */
import { chunks } from "../platform/Analyzer.ts"
import type { Evidence, Sentence, Span } from "./EvidenceModel.ts"

// Three lines of print; what is longer is a list or a record and is cut where words end.
const LONGEST = 500

const line = /[^\n\r]+/g
// Bounded, so that a row of a thousand points is looked at once.
const mark = /[.!?…]{1,8}["'”’)\]]{0,4}(?=\s)|[。！？]+/gu
const abbreviation =
  /(?:^|[\s("'])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|cf|no|fig|inc|ltd|co|jr|sr|approx|dept|est|p\.?\s?m|a\.?\s?m|\p{Lu})\.$/iu

/** The sentences of a text, in order, without the white space around them. */
export const spansOf = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  for (const { 0: whole, index: at } of text.matchAll(line)) {
    let from = 0
    for (const { 0: sign, index } of whole.matchAll(mark)) {
      const to = index + sign.length
      if (sign === "." && !endsHere(whole, index, to)) continue
      add(spans, text, at + from, at + to)
      from = to
    }
    add(spans, text, at + from, at + whole.length)
  }
  return spans
}

/** Whether a single point ends a sentence: not behind an abbreviation, nor before a small letter. */
const endsHere = (whole: string, index: number, to: number): boolean =>
  !abbreviation.test(whole.slice(Math.max(0, index - 8), to)) && !/^\s+\p{Ll}/u.test(whole.slice(to, to + 8))

const add = (spans: Array<Span>, text: string, from: number, to: number): void => {
  const part = text.slice(from, to)
  const start = from + part.length - part.trimStart().length
  const end = from + part.trimEnd().length
  if (end <= start) return
  if (end - start <= LONGEST) {
    spans.push({ start, end })
    return
  }
  for (const piece of chunks(text.slice(start, end), { size: LONGEST, overlap: 0 })) {
    spans.push({ start: start + piece.start, end: start + piece.end })
  }
}

/** The sentences of a memory, with offsets in its value's text. */
export const sentencesOf = (evidence: Evidence): ReadonlyArray<Sentence> =>
  spansOf(evidence.text).map(({ end, start }, index) => ({
    evidence,
    index,
    text: evidence.text.slice(start, end),
    start: start + evidence.offset,
    end: end + evidence.offset
  }))

const header = /^(?:\[[^\]\n]{1,60}\]\s*)?(?:([\p{L}\p{N}][\p{L}\p{N}_.'’ -]{0,40}):\s)?/u

/** A sentence without the date and the name that a turn of a talk begins with. */
export const bodyOf = (text: string): string => text.slice(header.exec(text)?.[0].length ?? 0)

/** Who says a sentence: the row's `speaker:` tag, else the name that its line begins with; null when neither is there. */
export const speakerOf = ({ evidence, start }: Pick<Sentence, "evidence" | "start">): string | null => {
  const tag = evidence.head.tags.find((tag) => tag.startsWith("speaker:"))
  if (tag !== undefined) return tag.slice("speaker:".length)
  const before = evidence.text.slice(0, Math.max(0, start - evidence.offset))
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1
  const name = header.exec(evidence.text.slice(lineStart, lineStart + 120))?.[1]
  return name !== undefined && /^\p{Lu}/u.test(name) && name.split(" ").length <= 3 ? name : null
}
