/** The commonest phrases of dates in German, French and Spanish, in the manner of `RelativeDateRules`. */
import { weekdayNames, weekdayOf } from "../platform/CalendarNames.ts"
import * as Span from "./DateSpan.ts"
import type { Grain } from "./DateSpan.ts"
import { countOf, countPattern, unitOf, unitPattern } from "./DateWords.ts"
import type { DateLanguage } from "./DateWords.ts"
import { away, rule, sure, weekdayAfter, weekdayBefore, weekdayNear } from "./RelativeDateRule.ts"
import type { DateRule } from "./RelativeDateRule.ts"

/** Phrases of one language. `{unit}`, `{count}` and `{weekday}` are groups. */
interface Phrases {
  /** Days away from the turn. */
  readonly days: ReadonlyArray<readonly [phrase: string, days: number]>
  readonly ago: string
  readonly ahead: string
  readonly lastUnit: string
  readonly nextUnit: string
  readonly thisUnit: string
  readonly lastWeekday: string
  readonly nextWeekday: string
  readonly onWeekday: string
}

const phrases: Readonly<Record<Exclude<DateLanguage, "en">, Phrases>> = {
  de: {
    days: [
      ["vorgestern", -2],
      ["gestern(?: (?:früh|morgen|mittag|nachmittag|abend|nacht))?|letzte nacht", -1],
      ["übermorgen", 2],
      ["heute(?: (?:früh|morgen|mittag|nachmittag|abend|nacht))?", 0],
      ["(?<!am |jeden |guten )morgen(?: (?:früh|mittag|nachmittag|abend))?", 1]
    ],
    ago: "vor {count} {unit}",
    ahead: "in {count} {unit}",
    lastUnit: "(?:im |in der )?(?:letzte|vorige|vergangene)[nrsm]? {unit}",
    nextUnit: "(?:im |in der )?(?:nächste|kommende)[nrsm]? {unit}",
    thisUnit: "(?:in )?diese[nrsm]? {unit}",
    lastWeekday: "(?:am )?(?:letzten|vorigen|vergangenen) {weekday}",
    nextWeekday: "(?:am )?(?:nächsten|kommenden) {weekday}",
    onWeekday: "am {weekday}"
  },
  fr: {
    days: [
      ["avant-hier", -2],
      ["hier(?: (?:matin|soir|après-midi))?|la nuit dernière", -1],
      ["après-demain", 2],
      ["aujourd'hui|ce matin|ce soir|cet après-midi", 0],
      ["demain(?: (?:matin|soir))?", 1]
    ],
    ago: "il y a {count} {unit}",
    ahead: "dans {count} {unit}",
    lastUnit: "(?:la |le |l')?{unit} (?:dernière?|passée?)",
    nextUnit: "(?:la |le |l')?{unit} prochaine?",
    thisUnit: "(?:cette|ce) {unit}(?!-)",
    lastWeekday: "{weekday} dernier",
    nextWeekday: "{weekday} prochain",
    onWeekday: "(?:ce ){weekday}"
  },
  es: {
    days: [
      ["anteayer|antes de ayer", -2],
      ["ayer(?: por la (?:mañana|tarde|noche))?|anoche", -1],
      ["pasado mañana", 2],
      ["hoy|esta (?:mañana|tarde|noche)", 0],
      ["(?<!la |esta )mañana(?: por la (?:mañana|tarde|noche))?", 1]
    ],
    ago: "hace {count} {unit}",
    ahead: "(?:en|dentro de) {count} {unit}",
    lastUnit: "(?:la |el )?{unit} pasad[oa]",
    nextUnit: "(?:la |el )?(?:próxim[oa] {unit}|{unit} que viene)",
    thisUnit: "est[ae] {unit}",
    lastWeekday: "(?:el )?{weekday} pasado",
    nextWeekday: "(?:el )?(?:próximo {weekday}|{weekday} que viene)",
    onWeekday: "el {weekday}"
  }
}

const rulesIn = (language: Exclude<DateLanguage, "en">): ReadonlyArray<DateRule> => {
  const own = phrases[language]
  const weekday = `(${[...weekdayNames(language)].sort((left, right) => right.length - left.length).join("|")})`
  const source = (text: string): string =>
    text.replaceAll("{unit}", unitPattern(language)).replaceAll("{count}", countPattern(language)).replaceAll(
      "{weekday}",
      weekday
    )
  const grain = (parts: ReadonlyArray<string>): Grain =>
    unitOf(parts.slice(1).find((part) => part !== "") ?? "", language)
  const day = (parts: ReadonlyArray<string>): number =>
    weekdayOf(parts.slice(1).find((part) => part !== "") ?? "", language) ?? 1
  return [
    ...own.days.map(([phrase, count]) => rule(phrase, (_, said) => away(count, "day", said))),
    rule(
      source(own.ago),
      ([, n, u], said) => away(-(countOf(n ?? "", language) ?? 1), unitOf(u ?? "", language), said)
    ),
    rule(source(own.ahead), ([, n, u], said) => away(countOf(n ?? "", language) ?? 1, unitOf(u ?? "", language), said)),
    rule(source(own.lastUnit), (parts, said) => sure(Span.spanAt(grain(parts), said.at, -1), 0.9)),
    rule(source(own.nextUnit), (parts, said) => sure(Span.spanAt(grain(parts), said.at, 1), 0.9)),
    rule(source(own.thisUnit), (parts, said) => sure(Span.spanAt(grain(parts), said.at, 0), 0.8)),
    rule(source(own.lastWeekday), (parts, said) => sure(weekdayBefore(day(parts), said.at), 0.9)),
    rule(source(own.nextWeekday), (parts, said) => sure(weekdayAfter(day(parts), said.at), 0.7)),
    rule(source(own.onWeekday), (parts, said) => sure(weekdayNear(day(parts), said), 0.7))
  ]
}

const rules = { de: rulesIn("de"), fr: rulesIn("fr"), es: rulesIn("es") }

export const rulesAbroad = (language: Exclude<DateLanguage, "en">): ReadonlyArray<DateRule> => rules[language]
