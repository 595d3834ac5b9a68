/** What a rule for phrases of dates is: a pattern, and what the parts it found mean at the time of a turn. */
import * as Span from "./DateSpan.ts"
import type { DateSpan, Grain } from "./DateSpan.ts"

/** `open` when no word says it; most dates that people name are past. */
export type Leaning = "past" | "future" | "open"

export interface Said {
  /** When the turn was said, milliseconds. */
  readonly at: number
  /** Which way a phrase points that could point both ways. */
  readonly leaning: Leaning
}

export interface Read {
  readonly span: DateSpan
  readonly confidence: number
}

export interface DateRule {
  /** Global, indifferent to case. */
  readonly pattern: RegExp
  /** Whether it means nothing without the time of the turn. */
  readonly needsTurn: boolean
  /** The parts are in lower case; null when they make no date. */
  readonly read: (parts: ReadonlyArray<string>, said: Said) => Read | null
}

/** A rule whose phrase is no part of a longer word. */
export const rule = (source: string, read: DateRule["read"], needsTurn = true): DateRule => ({
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "giu"),
  needsTurn,
  read
})

export const sure = (span: DateSpan | null, confidence: number): Read | null =>
  span === null ? null : { span, confidence }

/** The latest such weekday before the day of the turn. */
export const weekdayBefore = (weekday: number, at: number): DateSpan =>
  Span.spanAt("day", at, -((Span.weekdayAt(at) - weekday + 6) % 7 + 1))

/** The first such weekday after the day of the turn. */
export const weekdayAfter = (weekday: number, at: number): DateSpan =>
  Span.spanAt("day", at, (weekday - Span.weekdayAt(at) + 6) % 7 + 1)

/** A weekday without a word beside it: the latest, or the first to come; today is the same day's own name. */
export const weekdayNear = (weekday: number, { at, leaning }: Said): DateSpan =>
  leaning === "future" ? weekdayAfter(weekday, at) : weekdayBefore(weekday, at)

/** A day or month without a year: the latest that had begun, or the first that had not ended. */
export const yearless = (month: number, day: number | null, { at, leaning }: Said): DateSpan | null => {
  const year = Span.yearAt(at)
  // Four years back or ahead there is a 29 February.
  const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  for (const step of steps) {
    const span = Span.dated(leaning === "future" ? year + step : year - step, month, day)
    if (span !== null && (leaning === "future" ? span.end > at : span.start <= at)) return span
  }
  return null
}

/** From the beginning of what was said until the turn. */
export const since = (read: Read | null, { at }: Said): Read | null =>
  read === null || read.span.start > at
    ? null
    : { span: { start: read.span.start, end: at + 1 }, confidence: read.confidence }

/** So many days, weeks, months or years away. A day is exact; a week, month or year names the one it lies in. */
export const away = (count: number, grain: Grain, { at }: Said): Read => ({
  span: Span.spanAt(grain, at, count),
  confidence: grain === "day" ? 0.95 : 0.8
})
