/**
 * Spans of the calendar in UTC: the day, week, month or year that an instant lies in, and how far away another lies. A span
 * is [start, end) in milliseconds; weeks begin on Monday (ISO 8601). Pure. Next: `RelativeDate`.
 */

export const DAY = 86_400_000

export type Grain = "day" | "week" | "month" | "year"

/** [start, end) in milliseconds. */
export interface DateSpan {
  readonly start: number
  readonly end: number
}

const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY

/** 1 for Monday to 7. */
export const weekdayAt = (at: number): number => (new Date(at).getUTCDay() + 6) % 7 + 1

export const yearAt = (at: number): number => new Date(at).getUTCFullYear()

export const days = (start: number, count: number): DateSpan => ({ start, end: start + count * DAY })

/** The span of a grain, so many of them after the one in which `at` lies; before it for negative numbers. */
export const spanAt = (grain: Grain, at: number, after: number): DateSpan => {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (grain) {
    case "day":
      return days(startOfDay(at) + after * DAY, 1)
    case "week":
      return days(startOfDay(at) - (weekdayAt(at) - 1) * DAY + after * 7 * DAY, 7)
    case "month":
      return { start: Date.UTC(year, month + after, 1), end: Date.UTC(year, month + after + 1, 1) }
    case "year":
      return { start: Date.UTC(year + after, 0, 1), end: Date.UTC(year + after + 1, 0, 1) }
  }
}

/** The span of a day, a month or a year of the calendar; null for a date that there is none. */
export const dated = (year: number, month: number | null, day: number | null): DateSpan | null => {
  if (month === null) return { start: Date.UTC(year, 0, 1), end: Date.UTC(year + 1, 0, 1) }
  if (month < 1 || month > 12) return null
  if (day === null) return { start: Date.UTC(year, month - 1, 1), end: Date.UTC(year, month, 1) }
  const start = Date.UTC(year, month - 1, day)
  return day >= 1 && new Date(start).getUTCDate() === day ? days(start, 1) : null
}

const iso = (at: number): string => new Date(at).toISOString().slice(0, 10)

const months = "January February March April May June July August September October November December".split(" ")

/** The grain whose span this is; null for any other. */
export const grainOf = (span: DateSpan): Grain | null =>
  (["day", "week", "month", "year"] as const).find((grain) => {
    const whole = spanAt(grain, span.start, 0)
    return whole.start === span.start && whole.end === span.end
  }) ?? null

/** A span in words that need no other date: "on 2023-05-17", "in May 2023", "from 2023-05-15 to 2023-05-21". */
export const toldOf = (span: DateSpan): string => {
  const start = new Date(span.start)
  switch (grainOf(span)) {
    case "day":
      return `on ${iso(span.start)}`
    case "month":
      return `in ${months[start.getUTCMonth()]} ${start.getUTCFullYear()}`
    case "year":
      return `in ${start.getUTCFullYear()}`
    case "week":
      return `in the week of ${iso(span.start)}`
    case null:
      return `between ${iso(span.start)} and ${iso(span.end - 1)}`
  }
}
