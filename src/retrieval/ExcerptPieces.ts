/**
 * A text cut into what an excerpt is made of: units (lines, or the sentences of a long line), which are judged together
 * with what stands beside them, and their pieces (sentences), which are shown whole. A line that begins with who speaks or
 * when keeps that beginning as its label. Pure; every place is an offset in the value's text, in UTF-16 units.
 */
import { chunks } from "../platform/Analyzer.ts"

/** A verbatim run of a value's text that begins at an offset. */
export interface Segment {
  readonly start: number
  readonly text: string
}

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Piece extends Span {
  readonly text: string
}

export interface Unit {
  readonly text: string
  /** The beginning of its line that says who speaks or when, with its text; shown with every piece of the line. */
  readonly label: Piece | null
  readonly pieces: ReadonlyArray<Piece>
  /** Whether it ends with a question, so that what follows may answer it. */
  readonly asks: boolean
  /** Whether the unit before it in the list stands right before it in the text. */
  readonly follows: boolean
}

// A spoken turn. A longer line is prose, whose sentences are judged one by one.
const LONGEST_TURN = 400

const line = /[^\n]*\n|[^\n]+$/g
const sentenceEnd = /[.!?…]["')\]]*\s+|[。！？]/g
// `[8 May 2023] Mira: `, `Mira: ` or `[8 May 2023] `; a colon inside an address has no space after it.
const labelled = /^(?:\[[^\]\n]{1,40}\][ \t]*(?:[^:\n[\]]{1,40}:[ \t]+)?|[^:\n.!?[\]]{1,40}:[ \t]+)(?=\S)/
const question = /\?["')\]]*\s*(?:\[[^\]]*\]\s*)?$/

/** The units of segments in order; no piece is longer than the limit. */
export const unitsOf = (segments: ReadonlyArray<Segment>, limit: number): ReadonlyArray<Unit> =>
  segments.flatMap(({ start, text }) => {
    const units: Array<Unit> = []
    for (const { 0: whole, index } of text.matchAll(line)) {
      if (whole.trim() === "") continue
      for (const unit of unitsOfLine(whole, start + index, limit)) units.push({ ...unit, follows: units.length > 0 })
    }
    return units
  })

const unitsOfLine = (whole: string, at: number, limit: number): ReadonlyArray<Omit<Unit, "follows">> => {
  const said = labelled.exec(whole)?.[0] ?? ""
  const label = said === "" ? null : { start: at, end: at + said.length, text: said }
  const pieces = sentencesOf(whole.slice(said.length), at + said.length, limit)
  if (whole.length <= LONGEST_TURN) return [{ text: whole, label, pieces, asks: question.test(whole) }]
  return pieces.map((piece) => ({ text: piece.text, label, pieces: [piece], asks: question.test(piece.text) }))
}

const sentencesOf = (text: string, at: number, limit: number): ReadonlyArray<Piece> => {
  const ends = [...text.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length)
  let from = 0
  return [...new Set([...ends, text.length])].flatMap((to) => {
    const sentence = text.slice(from, to)
    const start = at + from
    from = to
    if (sentence.trim() === "") return []
    const parts = sentence.length <= limit ? [{ start: 0, end: sentence.length }] : chunks(sentence, cutting(limit))
    return parts.map((part) => ({
      start: start + part.start,
      end: start + part.end,
      text: sentence.slice(part.start, part.end)
    }))
  })
}

// A few pieces to an excerpt, so that it can show near what it is about.
const cutting = (limit: number) => ({ size: Math.max(16, Math.min(120, Math.floor(limit / 3))), overlap: 0 })

/** Passages, which overlap, as the longest runs they make together. */
export const joined = (passages: ReadonlyArray<Segment>): ReadonlyArray<Segment> => {
  const runs: Array<{ start: number; text: string }> = []
  for (const { start, text } of [...passages].sort((a, b) => a.start - b.start)) {
    const last = runs.at(-1)
    const end = last === undefined ? -1 : last.start + last.text.length
    if (last === undefined || start > end) runs.push({ start, text })
    else if (start + text.length > end) last.text += text.slice(end - start)
  }
  return runs
}
