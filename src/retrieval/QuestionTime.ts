/**
 * The times a question speaks of: the days, months and years it names ("3 June, 2023", "in May", 2024-02-01), and whether
 * it asks for what holds now ("currently", "latest"). Pure; dates are read as UTC, in English and as ISO days. A memory's
 * own time is compared with them; nothing here knows of other memories.
 */

/** A day, a month or a year that is named; without a year, of any year. */
export interface NamedTime {
  readonly year: number | null
  /** 1 to 12. */
  readonly month: number | null
  readonly day: number | null
}

export interface QuestionTime {
  readonly named: ReadonlyArray<NamedTime>
  /** Whether the question asks for the present state. */
  readonly asksNow: boolean
}

const months = "january february march april may june july august september october november december".split(" ")
const month = `(${months.join("|")})`
const day = "(\\d{1,2})(?:st|nd|rd|th)?"
const year = "(?:,? (\\d{4}))?"
const dayMonth = new RegExp(`\\b${day}(?: of)? ${month}\\b${year}`, "g")
const monthDay = new RegExp(`\\b${month} ${day}\\b(?!\\d)${year}`, "g")
// "May" and "march" are words of their own: alone they are a month only after a word that says so, or with a year.
const monthOnly = new RegExp(
  `\\b(in|of|since|until|by|during|last|next|this|early|late|mid)?-? ?\\b${month}\\b${year}`,
  "g"
)
const isoDay = /\b(\d{4})-(\d{2})(?:-(\d{2}))?\b/g
const yearOnly = /(?<![\w.:#/-])((?:19|20)\d\d)(?![\w#/-]|\.\d)/g
const now =
  /\b(?:now|current(?:ly)?|latest|newest|most recent(?:ly)?|recent(?:ly)?|lately|nowadays|today|these days|at the moment|still)\b/

/** What a text of any length names, at most so many times; a longer list is a document. */
const MOST = 8

export const readTime = (text: string): QuestionTime => {
  let rest = text.slice(0, 2_000).toLowerCase().replace(/\s+/g, " ")
  const named: Array<NamedTime> = []
  /** Takes what matches out of the text, so that no year is read twice. */
  const take = (pattern: RegExp, read: (found: ReadonlyArray<string | undefined>) => NamedTime | null): void => {
    rest = rest.replace(pattern, (whole: string, ...found: ReadonlyArray<string | undefined>) => {
      const time = read(found)
      if (time === null || !isTime(time)) return whole
      named.push(time)
      return " "
    })
  }
  take(isoDay, ([y, m, d]) => ({ year: numberOf(y), month: numberOf(m), day: numberOf(d) }))
  take(dayMonth, ([d, m, y]) => ({ year: numberOf(y), month: monthOf(m), day: numberOf(d) }))
  take(monthDay, ([m, d, y]) => ({ year: numberOf(y), month: monthOf(m), day: numberOf(d) }))
  take(monthOnly, ([said, m, y]) =>
    said === undefined && y === undefined && (m === "may" || m === "march")
      ? null
      : { year: numberOf(y), month: monthOf(m), day: null })
  take(yearOnly, ([y]) => ({ year: numberOf(y), month: null, day: null }))
  return { named: named.slice(0, MOST), asksNow: now.test(text.slice(0, 2_000).toLowerCase()) }
}

const numberOf = (text: string | undefined): number | null => text === undefined ? null : Number(text)
const monthOf = (text: string | undefined): number => months.indexOf(text ?? "") + 1

const isTime = ({ day, month }: NamedTime): boolean =>
  (month === null || (month >= 1 && month <= 12)) && (day === null || (day >= 1 && day <= 31))

const DAY = 86_400_000
// What is told a week after it happened is half as near. Halves of 3 to 30 days gave the same recall within 0.4.
const HALF_LIFE_DAYS = 7

/** How near a time, in milliseconds since 1970, is to the nearest named one: 1 inside it, halved by each week outside. */
export const nearness = ({ named }: QuestionTime, at: number): number =>
  named.reduce((best, time) => Math.max(best, 2 ** (-daysOff(time, at) / HALF_LIFE_DAYS)), 0)

const daysOff = (time: NamedTime, at: number): number => {
  const own = new Date(at).getUTCFullYear()
  const years = time.year === null ? [own - 1, own, own + 1] : [time.year]
  return Math.min(...years.map((year) => {
    const { day, month } = time
    const start = Date.UTC(year, (month ?? 1) - 1, day ?? 1)
    const end = day !== null
      ? start + DAY
      : month !== null
      ? Date.UTC(year, month, 1)
      : Date.UTC(year + 1, 0, 1)
    return Math.max(0, start - at, at - end) / DAY
  }))
}
