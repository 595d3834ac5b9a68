/**
 * The phrases of dates: those of the calendar, which need only the names of a language, and those of English. Earlier rules
 * come first and take their letters, so longer phrases stand before the shorter ones in them. `RelativeDate` plays them.
 */
import { monthNames, monthOf, weekdayNames, weekdayOf } from "../platform/CalendarNames.ts"
import * as Span from "./DateSpan.ts"
import { countOf, countPattern, unitOf, unitPattern } from "./DateWords.ts"
import type { DateLanguage } from "./DateWords.ts"
import { away, rule, since, sure, weekdayAfter, weekdayBefore, weekdayNear, yearless } from "./RelativeDateRule.ts"
import type { DateRule, Read, Said } from "./RelativeDateRule.ts"

// Short forms that are words of their own ("may", "sun") are months and weekdays where a number or a preposition is near.
const longest = (names: ReadonlyArray<string>): string =>
  `(${[...names].sort((left, right) => right.length - left.length).join("|")})`

const number = (text: string | undefined): number | null => text === undefined || text === "" ? null : Number(text)

const DAY_OF = "(\\d{1,2})(?:st|nd|rd|th|\\.|er|º)?"
const YEAR = "((?:1[5-9]|20|21)\\d\\d)"

/** What introduces a date in each language, and belongs to its phrase. */
const before: Readonly<Record<DateLanguage, string>> = {
  en: "(?:on |back on )?(?:the )?",
  de: "(?:am |den |der |dem )?",
  fr: "(?:le )?",
  es: "(?:el )?"
}
const inside: Readonly<Record<DateLanguage, string>> = {
  en: "(?:back )?(?:in|during|in early|in late|in mid|early|late) ",
  de: "(?:im|in|anfang|ende|mitte) (?:jahr )?",
  fr: "(?:en|au|début|fin) ",
  es: "(?:en|a principios de|a finales de) "
}
const joint: Readonly<Record<DateLanguage, string>> = { en: " (?:of )?", de: " ", fr: " ", es: "(?: de)? " }
const yearJoint: Readonly<Record<DateLanguage, string>> = { en: ",? (?:of )?", de: " ", fr: " ", es: " (?:de |del )?" }
const sinceWord: Readonly<Record<DateLanguage, string>> = { en: "since", de: "seit", fr: "depuis", es: "desde" }

/** A day or month, with its year or without. */
const inCalendar = (month: number | undefined, day: number | null, year: number | null, said: Said): Read | null =>
  month === undefined
    ? null
    : year === null
    ? sure(yearless(month, day, said), day === null ? 0.7 : 0.8)
    : sure(Span.dated(year, month, day), 0.98)

const made = new Map<DateLanguage, ReadonlyArray<DateRule>>()

/** Dates of the calendar, in every language alike. */
export const rulesOfAll = (language: DateLanguage): ReadonlyArray<DateRule> => {
  const known = made.get(language)
  if (known !== undefined) return known
  const rules = calendarRules(language)
  made.set(language, rules)
  return rules
}

const calendarRules = (language: DateLanguage): ReadonlyArray<DateRule> => {
  const month = longest(monthNames(language))
  const weekday = longest(weekdayNames(language))
  const on = before[language]
  const withYear = (source: string, read: DateRule["read"]): ReadonlyArray<DateRule> => [
    rule(`${source}${yearJoint[language]}${YEAR}`, read, false),
    rule(source, read)
  ]
  const range = (
    year: string | undefined,
    name: string | undefined,
    from: string | undefined,
    to: string | undefined,
    said: Said
  ) => {
    const first = inCalendar(monthOf(name ?? "", language), number(from), number(year), said)
    const last = inCalendar(monthOf(name ?? "", language), number(to), number(year), said)
    return first === null || last === null || last.span.end <= first.span.start
      ? null
      : sure({ start: first.span.start, end: last.span.end }, first.confidence)
  }
  return [
    rule(
      "(?:from |between )?(\\d{4})-(\\d{2})-(\\d{2})(?: to | and |/| - | until )(\\d{4})-(\\d{2})-(\\d{2})",
      ([, y1, m1, d1, y2, m2, d2]) => {
        const first = Span.dated(Number(y1), Number(m1), Number(d1))
        const last = Span.dated(Number(y2), Number(m2), Number(d2))
        return first === null || last === null || last.end <= first.start
          ? null
          : sure({ start: first.start, end: last.end }, 0.98)
      },
      false
    ),
    rule(
      `${sinceWord[language]} (\\d{4})-(\\d{2})-(\\d{2})`,
      ([, y, m, d], said) => since(sure(Span.dated(Number(y), Number(m), Number(d)), 0.98), said)
    ),
    rule(
      `${on}(\\d{4})-(\\d{2})-(\\d{2})(?:t\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:z|[+-]\\d{2}:\\d{2})?)?`,
      ([, y, m, d]) => sure(Span.dated(Number(y), Number(m), Number(d)), 0.99),
      false
    ),
    rule(
      `${on}(\\d{1,2})\\. ?(\\d{1,2})\\. ?${YEAR}`,
      ([, d, m, y]) => sure(Span.dated(Number(y), Number(m), Number(d)), 0.95),
      false
    ),
    ...withYear(
      `${on}${DAY_OF} ?(?:-|to|until|bis|au|al) ?(?:the )?${DAY_OF}${joint[language]}${month}`,
      ([, from, to, name, year], said) => range(year, name, from, to, said)
    ),
    ...language === "en"
      ? withYear(
        `(?:from |on |between )?${month} ${DAY_OF} ?(?:-|to|and|until) ?(?:the )?${DAY_OF}`,
        ([, name, from, to, year], said) => range(year, name, from, to, said)
      )
      : [],
    rule(
      `${sinceWord[language]} (?:the |dem |le |el )?${DAY_OF}${joint[language]}${month}(?:${
        yearJoint[language]
      }${YEAR})?`,
      ([, day, name, year], said) =>
        since(inCalendar(monthOf(name ?? "", language), number(day), number(year), { ...said, leaning: "past" }), said)
    ),
    ...withYear(
      `(?:(?:on )?${weekday}[,]? )?${on}${DAY_OF}${joint[language]}${month}`,
      ([, , day, name, year], said) => inCalendar(monthOf(name ?? "", language), number(day), number(year), said)
    ),
    ...language === "en"
      ? withYear(
        `(?:(?:on )?${weekday}[,]? )?${on}${month} (?:the )?${DAY_OF}(?![\\d:])`,
        ([, , name, day, year], said) => inCalendar(monthOf(name ?? "", language), number(day), number(year), said)
      )
      : [],
    rule(
      `${sinceWord[language]} ${month}(?:${yearJoint[language]}${YEAR})?`,
      ([, name, year], said) =>
        since(inCalendar(monthOf(name ?? "", language), null, number(year), { ...said, leaning: "past" }), said)
    ),
    rule(
      `(?:${inside[language]})?${month}${yearJoint[language]}${YEAR}`,
      ([, name, year], said) => inCalendar(monthOf(name ?? "", language), null, number(year), said),
      false
    ),
    rule(
      `${inside[language]}${month}`,
      ([, name], said) => inCalendar(monthOf(name ?? "", language), null, null, said)
    ),
    rule(
      `${sinceWord[language]} ${YEAR}`,
      ([, year], said) => since(sure(Span.dated(Number(year), null, null), 0.9), said)
    ),
    rule(`${inside[language]}${YEAR}`, ([, year]) => sure(Span.dated(Number(year), null, null), 0.9), false),
    rule(
      `${sinceWord[language]} (?:last |letzten |le |el )?${weekday}`,
      ([, name], said) => since(sure(weekdayBefore(weekdayOf(name ?? "", language) ?? 1, said.at), 0.85), said)
    )
  ]
}

const weekday = longest(
  weekdayNames("en").filter((name) => !/^(?:sun|sat|mon|wed)$/.test(name) && !name.endsWith("days"))
)
const count = countPattern("en")
const unit = unitPattern("en")
const grainOf = (word: string | undefined) => unitOf(word ?? "", "en")
const numberOf = (word: string | undefined): number => countOf(word ?? "", "en") ?? 1
const weekdayNumber = (word: string | undefined): number => weekdayOf(word ?? "", "en") ?? 1

/** Saturday and Sunday of the week so many after that of the turn. */
const weekend = (after: number, at: number) => Span.days(Span.spanAt("week", at, after).start + 5 * Span.DAY, 2)

const seasons: Readonly<Record<string, number>> = { spring: 3, summer: 6, fall: 9, autumn: 9, winter: 12 }

/** The season of a year on the northern half of the earth, where it has its name from; a winter ends in the next year. */
const season = (name: string | undefined, year: number) => {
  const month = seasons[name ?? ""] ?? 3
  return { start: Date.UTC(year, month - 1, 1), end: Date.UTC(year, month + 2, 1) }
}

/** The latest season of the name that had begun long enough to be spoken of as past. */
const seasonBefore = (name: string | undefined, at: number, isWhole: boolean) => {
  const year = Span.yearAt(at)
  return [year, year - 1, year - 2].map((one) => season(name, one)).find(({ end, start }) =>
    isWhole ? end <= at : start <= at
  ) ?? season(name, year - 2)
}

export const rulesOfEnglish: ReadonlyArray<DateRule> = [
  rule("the day before yesterday", (_, said) => away(-2, "day", said)),
  rule("the day after tomorrow", (_, said) => away(2, "day", said)),
  rule(
    "(?:since )?yesterday(?:'s)?(?: (?:morning|afternoon|evening|night))?",
    ([whole], said) => whole?.startsWith("since") ? since(away(-1, "day", said), said) : away(-1, "day", said)
  ),
  rule("last night|the other night", ([whole], said) =>
    whole === "last night"
      ? sure(Span.spanAt("day", said.at, -1), 0.9)
      : sure(Span.days(Span.spanAt("day", said.at, -7).start, 7), 0.4)),
  rule("tomorrow(?: (?:morning|afternoon|evening|night))?", (_, said) => away(1, "day", said)),
  rule(
    "(?:earlier |later )?today|tonight|this (?:morning|afternoon|evening)|earlier this (?:morning|afternoon|evening)",
    (_, said) => away(0, "day", said)
  ),
  rule(
    `(?:about |around |almost |over |nearly |just |roughly )?${count} (?:full |whole )?${unit} (?:ago|back)`,
    ([, n, u], said) => away(-numberOf(n), grainOf(u), said)
  ),
  rule(`(?:about |around )?a couple (?:of )?${unit} (?:ago|back)`, ([, u], said) => {
    const read = away(-2, grainOf(u), said)
    return { ...read, confidence: 0.5 }
  }),
  rule(`(?:just )?a few ${unit} (?:ago|back)`, ([, u], said) =>
    // "A few" is three to five to most speakers, at times two.
    sure({ start: Span.spanAt(grainOf(u), said.at, -5).start, end: Span.spanAt(grainOf(u), said.at, -2).end }, 0.4)),
  rule("the other day", (_, said) => sure(Span.days(Span.spanAt("day", said.at, -7).start, 7), 0.4)),
  rule(
    `in (?:about |around )?${count} (?:more )?(?:days?|weeks?|months?|years?)(?:' time)?(?! (?:of|ago))`,
    ([whole, n], said) =>
      said.leaning === "past"
        ? null
        : away(numberOf(n), grainOf(/(day|week|month|year)s?/.exec(whole ?? "")?.[0]), said)
  ),
  rule(`${count} ${unit} from (?:now|today)`, ([, n, u], said) => away(numberOf(n), grainOf(u), said)),
  rule("since last (week|month|year)", ([, u], said) => since(sure(Span.spanAt(grainOf(u), said.at, -1), 0.85), said)),
  rule("(?:earlier |late |early )?(?:the )?(?:last|past|previous) (week|month|year)", ([whole, u], said) =>
    // "The past week" is the seven days before; "last week" is the one before this.
    /past/.test(whole ?? "")
      ? sure({
        start: Span.spanAt("day", said.at, u === "week" ? -7 : u === "month" ? -30 : -365).start,
        end: said.at + 1
      }, 0.6)
      : sure(Span.spanAt(grainOf(u), said.at, -1), 0.9)),
  rule(
    "(?:earlier |later |early |late )?(?:in )?this (week|month|year)",
    ([, u], said) => sure(Span.spanAt(grainOf(u), said.at, 0), 0.8)
  ),
  rule(
    "(?:early |late |sometime )?next (week|month|year)",
    ([, u], said) => sure(Span.spanAt(grainOf(u), said.at, 1), 0.9)
  ),
  rule(
    "(?:the |over the )?(last|past|this past|this|next|coming) weekend",
    ([, which], said) =>
      which === "next" || which === "coming"
        ? sure(weekend(which === "next" ? 1 : 0, said.at), 0.7)
        : which === "this"
        ? said.leaning === "past" && Span.weekdayAt(said.at) < 6
          ? sure(weekend(-1, said.at), 0.6)
          : sure(weekend(0, said.at), 0.8)
        : sure(weekend(-1, said.at), 0.9)
  ),
  rule(
    "(?:over|on|at|during) the weekend",
    (_, said) => sure(weekend(said.leaning !== "future" && Span.weekdayAt(said.at) < 6 ? -1 : 0, said.at), 0.7)
  ),
  rule(
    `(?:on )?(last|this past|past) ${weekday}(?: (?:morning|afternoon|evening|night))?`,
    ([, , name], said) => sure(weekdayBefore(weekdayNumber(name), said.at), 0.9)
  ),
  rule(`(?:on )?next ${weekday}`, ([, name], said) =>
    // Said of the week after this by most; by some of the next that comes.
    sure(Span.days(Span.spanAt("week", said.at, 1).start + (weekdayNumber(name) - 1) * Span.DAY, 1), 0.6)),
  rule(`(?:on )?(?:this|this coming|coming) ${weekday}`, ([, name], said) =>
    sure(
      said.leaning === "past"
        ? weekdayBefore(weekdayNumber(name), said.at)
        : weekdayAfter(weekdayNumber(name), said.at),
      0.7
    )),
  rule(
    `(?:on )${weekday}(?: (?:morning|afternoon|evening|night))?`,
    ([, name], said) => sure(weekdayNear(weekdayNumber(name), said), 0.7)
  ),
  rule(
    "(?:in |during )?(?:the )?(last|this past|past) (spring|summer|fall|autumn|winter)",
    ([, , name], said) => sure(seasonBefore(name, said.at, true), 0.6)
  ),
  rule(
    `(?:in )?(?:the )?(spring|summer|fall|autumn|winter) of ${YEAR}`,
    ([, name, year]) => sure(season(name, Number(year)), 0.8),
    false
  ),
  rule("on the (\\d{1,2})(?:st|nd|rd|th)(?! (?:of|floor|street|avenue|birthday|anniversary))", ([, day], said) => {
    const date = new Date(said.at)
    // Months of 31 days are at most two apart.
    const months = [0, 1, 2].map((step) => said.leaning === "future" ? step : -step)
    for (const step of months) {
      const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step, 1))
      const span = Span.dated(first.getUTCFullYear(), first.getUTCMonth() + 1, Number(day))
      if (span !== null && (said.leaning === "future" ? span.end > said.at : span.start <= said.at)) {
        return sure(span, 0.7)
      }
    }
    return null
  })
]
