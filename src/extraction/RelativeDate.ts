/**
 * The dates a text speaks of, against the time at which it was said: "yesterday", "last week", "two days ago", "on 5 May",
 * "since 2019". What a past phrase names never begins after the turn. A text that says no date has none, and without a
 * time of the turn only dates that name their year are read. Pure; UTC. The phrases: `RelativeDateRules` (dates of the
 * calendar, English), `RelativeDateAbroad` (German, French, Spanish).
 */
import type { DateSpan } from "./DateSpan.ts"
import { languageOf } from "./DateWords.ts"
import type { DateLanguage } from "./DateWords.ts"
import { rulesAbroad } from "./RelativeDateAbroad.ts"
import type { DateRule, Leaning } from "./RelativeDateRule.ts"
import { rulesOfAll, rulesOfEnglish } from "./RelativeDateRules.ts"

export interface SaidDate {
  /** The start of the day, or of the span, in milliseconds. */
  readonly at: number
  readonly span: DateSpan
  /** 0 to 1: how sure it is that the speaker meant this. */
  readonly confidence: number
  /** Where the phrase stands in the text: [from, to) in UTF-16 units. */
  readonly from: number
  readonly to: number
}

// A sentence is short; of a longer text the beginning is read.
const LONGEST = 4_000
// What names more is a list of dates, not a time of something.
const MOST = 16

const future =
  /(?<!\p{L})(?:will|won't|going to|gonna|plan(?:s|ning)?|upcoming|coming|tomorrow|next|soon|can't wait|looking forward|ships|starts|begins|opens|launches|due|takes place|werde|werden|wird|nächste[nrs]?|morgen|vais|va|allons|prochaine?|demain|voy a|va a|vamos a|próxim[oa])(?!\p{L})|\p{L}'ll(?!\p{L})/iu
const progressive = /(?:(?<!\p{L})(?:am|are)|'m|'re) (?:\w+ly )?\w+ing(?!\p{L})/iu

const past =
  /(?<!\p{L})(?:was|were|did|had|went|got|took|made|came|ran|won|met|saw|wrote|built|bought|found|left|read|felt|\p{L}{2,}ed|war|habe|hatte)(?!\p{L})/iu

/** Whether a sentence speaks of what comes or of what was; a bare weekday or day then lies there. */
const leaningOf = (text: string): Leaning =>
  future.test(text) || progressive.test(text) ? "future" : past.test(text) ? "past" : "open"

/** Every date of a text in its order; no two share a letter. */
export const datesIn = (
  text: string,
  said_at: number | null,
  language: DateLanguage = languageOf(text)
): ReadonlyArray<SaidDate> => {
  const found: Array<SaidDate> = []
  let rest = text.slice(0, LONGEST).replace(/[’‘]/g, "'").replace(/[\u2010-\u2015\u2212]/g, "-")
  const leaning = leaningOf(rest)
  const rules: ReadonlyArray<DateRule> = [
    ...rulesOfAll(language),
    ...language === "en" ? rulesOfEnglish : rulesAbroad(language)
  ]
  for (const rule of rules) {
    if (rule.needsTurn && said_at === null) continue
    for (const match of rest.matchAll(rule.pattern)) {
      const read = rule.read(match.map((part) => part?.toLowerCase() ?? ""), { at: said_at ?? 0, leaning })
      const [from, to] = [match.index, match.index + match[0].length]
      // What is no date ("31 February 2023") is none in part either.
      rest = rest.slice(0, from) + " ".repeat(to - from) + rest.slice(to)
      if (read === null || !isInReach(read.span)) continue
      found.push({ at: read.span.start, span: read.span, confidence: read.confidence, from, to })
      if (found.length >= MOST) break
    }
    if (found.length >= MOST) break
  }
  return found.sort((left, right) => left.from - right.from)
}

/** The date that a text is about: the surest, of equally sure ones the first; null where it says none. */
export const dateOf = (text: string, said_at: number | null, language?: DateLanguage): SaidDate | null =>
  datesIn(text, said_at, language).reduce<SaidDate | null>(
    (best, date) => best === null || date.confidence > best.confidence ? date : best,
    null
  )

// What stores keep: years of four digits.
const EARLIEST = Date.UTC(1000, 0, 1)
const LATEST = Date.UTC(9999, 0, 1)
const isInReach = ({ end, start }: DateSpan): boolean => end > start && start >= EARLIEST && start <= LATEST
