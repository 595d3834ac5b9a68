/**
 * Whether a fact is borne by the turns that it cites: its words, numbers and names stand there, its dates are what the turns'
 * dates come to, and who speaks is whom it is about (or the fact says that it is about another). Written apart from the
 * extractors and sharing nothing with them, so that it can find their mistakes. Pure.
 */
import { stems } from "../src/platform/Analyzer.ts"

export interface CitedTurn {
  readonly speaker: string
  readonly text: string
  /** Milliseconds; null when nobody knows. */
  readonly time: number | null
}

export interface JudgedFact {
  readonly subject: string
  readonly text: string
  readonly about_other: boolean
}

export type Fault = "no-turn" | "speaker" | "words" | "date"

const little: ReadonlySet<string> = new Set(
  `a an the to of in on at by for with from about into as and or but not no do does did is am are was were be been being has have had
  will would can cannot their they them his her its it he she this that some who s up out off over going user since between
  called never always usually often`.split(/\s+/)
)

/** What a fact states and its turns do not bear; empty when it is right. */
export const faultsOf = (fact: JudgedFact, turns: ReadonlyArray<CitedTurn>): ReadonlyArray<Fault> => {
  if (turns.length === 0) return ["no-turn"]
  const isSpeaker = turns.every(({ speaker }) => speaker.toLowerCase() === fact.subject.toLowerCase())
  const { dates, rest } = withoutDates(fact.text)
  const names = new Set(words(`${fact.subject} ${turns.map(({ speaker }) => speaker).join(" ")}`))
  const borne = new Set(turns.flatMap(({ text }) => [...words(text), ...stems(text)]))
  const lacking = words(rest).filter((word) =>
    !little.has(word) && !names.has(word) && !borne.has(word) && !stems(word).some((stem) => borne.has(stem)) &&
    !inTurns(word, turns)
  )
  const isDated = dates.every((date) =>
    turns.some(({ text, time }) => named(text, time).some(([from, to]) => date >= from && date <= to))
  )
  return [
    ...(isSpeaker || fact.about_other ? [] : ["speaker" as const]),
    ...(lacking.length === 0 ? [] : ["words" as const]),
    ...(isDated ? [] : ["date" as const])
  ]
}

const words = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().replace(/[’‘]/g, "'").replace(/'(?:s|m|re|ve|ll|d|t)?\b/g, " ").match(/[\p{L}\p{N}]+/gu) ?? []

/** Another form of a word: "taught" in the turn, "teaches" in the fact have a common beginning, "goes" and "going" too. */
const inTurns = (word: string, turns: ReadonlyArray<CitedTurn>): boolean => {
  const start = word.replace(/(?:es|s|ies)$/, "")
  return start.length >= 2 &&
    turns.some(({ text }) => words(text).some((one) => one.startsWith(start) && one.length <= word.length + 3))
}

const DAY = 86_400_000
const months = "january february march april may june july august september october november december".split(" ")
const weekdays = "sunday monday tuesday wednesday thursday friday saturday".split(" ")

/** The dates that a fact tells, each as its first instant, and its text without them. */
const withoutDates = (text: string): { readonly dates: ReadonlyArray<number>; readonly rest: string } => {
  const dates: Array<number> = []
  const rest = text.replace(
    /(?:in the week of |on |since |between |and )?(\d{4}-\d{2}-\d{2})/g,
    (_: string, iso: string) => {
      dates.push(Date.parse(iso))
      return " "
    }
  ).replace(
    /\bin (January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})\.?$/,
    (_: string, month: string, year: string) => {
      dates.push(Date.UTC(Number(year), months.indexOf(month.toLowerCase()), 1))
      return " "
    }
  ).replace(/\bin (\d{4})\.?$/, (_: string, year: string) => {
    dates.push(Date.UTC(Number(year), 0, 1))
    return " "
  })
  return { dates, rest }
}

type Span = readonly [from: number, to: number]

const unitDays: Readonly<Record<string, number>> = { day: 1, week: 7, weekend: 7, month: 31, year: 366 }
const counts = "a one two three four five six seven eight nine ten".split(" ")

/** Wide spans for whatever in a turn may name a time: a fact's date must lie in one of them. */
const named = (text: string, time: number | null): ReadonlyArray<Span> => {
  const low = text.toLowerCase()
  const found: Array<Span> = []
  for (const [, year] of low.matchAll(/\b((?:19|20)\d\d)\b/g)) {
    found.push([Date.UTC(Number(year), 0, 1), Date.UTC(Number(year), 11, 31)])
  }
  if (time === null) return found
  const day = Math.floor(time / DAY) * DAY
  const around = (from: number, to: number): Span => [day + from * DAY, day + to * DAY]
  if (/\byesterday\b|\blast night\b/.test(low)) found.push(around(-2, -1))
  if (/\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b/.test(low)) found.push(around(0, 0))
  if (/\btomorrow\b/.test(low)) found.push(around(1, 2))
  if (/\bthe other (?:day|night)\b|\ba few days\b/.test(low)) found.push(around(-7, 0))
  for (
    const [, which, unit = ""] of low.matchAll(
      /\b(last|past|previous|this|next|coming|the) (day|week|weekend|month|year)\b/g
    )
  ) {
    const length = unitDays[unit] ?? 1
    found.push(
      which === "next" || which === "coming"
        ? around(0, 2 * length)
        : which === "this"
        ? around(-length, length)
        : around(-2 * length, length)
    )
  }
  for (const [, n = "", unit = ""] of low.matchAll(/\b(\d+|[a-z]+) (day|week|weekend|month|year)s? (?:ago|back)\b/g)) {
    const count = /^\d+$/.test(n)
      ? Number(n)
      : Math.max(counts.indexOf(n), 0) || (n === "couple" || n === "few" ? 3 : 1)
    const length = unitDays[unit] ?? 1
    found.push(around(-(count + 3) * length, -(count - 2) * length))
  }
  for (const weekday of weekdays) {
    if (low.includes(weekday) || low.includes(` ${weekday.slice(0, 3)} `)) found.push(around(-8, 15))
  }
  for (const [at, month] of months.entries()) {
    if (!new RegExp(`\\b(?:${month}|${month.slice(0, 3)})\\b`).test(low)) continue
    for (const year of [-1, 0, 1].map((step) => new Date(time).getUTCFullYear() + step)) {
      found.push([Date.UTC(year, at, 1), Date.UTC(year, at + 1, 0)])
    }
  }
  for (const season of ["spring", "summer", "fall", "autumn", "winter"]) {
    if (low.includes(season)) found.push(around(-500, 200))
  }
  if (/\bsince\b/.test(low)) found.push(around(-7, 0))
  if (/\bthe \d{1,2}(?:st|nd|rd|th)\b/.test(low)) found.push(around(-31, 31))
  return found
}
