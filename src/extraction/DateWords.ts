/**
 * Words of dates in the languages that dates are read in: small numbers, units of the calendar, and which language a text
 * is. Pure tables; the names of months and weekdays are in `CalendarNames`.
 */
import type { Grain } from "./DateSpan.ts"

export type DateLanguage = "en" | "de" | "fr" | "es"

const numbered = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.trim().split(/\s+/).flatMap((group) => {
      const [number, words = ""] = group.split(":")
      return words.split(",").map((word) => [word, Number(number)] as const)
    })
  )

const numbers: Readonly<Record<DateLanguage, ReadonlyMap<string, number>>> = {
  en: numbered(`1:a,an,one 2:two,couple 3:three 4:four 5:five 6:six 7:seven 8:eight 9:nine 10:ten 11:eleven 12:twelve
    13:thirteen 14:fourteen 15:fifteen 18:eighteen 20:twenty 30:thirty 40:forty 50:fifty`),
  de: numbered(`1:ein,eine,einem,einer,einen 2:zwei 3:drei 4:vier 5:fünf 6:sechs 7:sieben 8:acht 9:neun 10:zehn 11:elf
    12:zwölf 14:vierzehn 15:fünfzehn 20:zwanzig 30:dreißig`),
  fr: numbered(`1:un,une 2:deux 3:trois 4:quatre 5:cinq 6:six 7:sept 8:huit 9:neuf 10:dix 11:onze 12:douze 15:quinze
    20:vingt 30:trente`),
  es: numbered(`1:un,una,uno 2:dos 3:tres 4:cuatro 5:cinco 6:seis 7:siete 8:ocho 9:nueve 10:diez 11:once 12:doce
    15:quince 20:veinte 30:treinta`)
}

/** What a number word or up to four digits say. */
export const countOf = (word: string, language: DateLanguage): number | null =>
  /^\d{1,4}$/.test(word) ? Number(word) : numbers[language].get(word) ?? null

/** A pattern for the words that `countOf` reads. */
export const countPattern = (language: DateLanguage): string => `(\\d{1,4}|${[...numbers[language].keys()].join("|")})`

const units: Readonly<Record<DateLanguage, Readonly<Record<Grain, string>>>> = {
  en: { day: "days?", week: "weeks?", month: "months?", year: "years?|yrs?" },
  de: { day: "tag(?:e|en)?", week: "wochen?", month: "monat(?:e|en)?", year: "jahr(?:e|en)?" },
  fr: { day: "jours?", week: "semaines?", month: "mois", year: "ans?|années?" },
  es: { day: "días?", week: "semanas?", month: "mes(?:es)?", year: "años?" }
}

const grains: ReadonlyArray<Grain> = ["day", "week", "month", "year"]

/** A pattern for units of the calendar, as one group. */
export const unitPattern = (language: DateLanguage): string =>
  `(${grains.map((grain) => units[language][grain]).join("|")})`

export const unitOf = (word: string, language: DateLanguage): Grain =>
  grains.find((grain) => new RegExp(`^(?:${units[language][grain]})$`).test(word)) ?? "day"

// The commonest little words of each, none of which another has.
const marks: Readonly<Record<DateLanguage, RegExp>> = {
  en: /(?<!\p{L})(?:i|the|and|my|is|was|to|of|last|ago|next|on|since|this|have|yesterday|tomorrow)(?!\p{L})/giu,
  de:
    /(?<!\p{L})(?:ich|und|der|die|das|den|mein|meine|ist|bin|habe|nicht|nach|letzte[nrs]?|vor|seit|gestern|heute|nächste[nrs]?|wir|im|am|mag|wohne)(?!\p{L})/giu,
  fr:
    /(?<!\p{L})(?:je|j|et|le|les|mon|ma|suis|est|ai|pas|dernière?|depuis|hier|dans|prochaine?|nous|il|au|du|aujourd)(?!\p{L})/giu,
  es:
    /(?<!\p{L})(?:yo|y|el|los|mi|soy|estoy|es|no|pasad[oa]|desde|ayer|hace|hoy|en|próxim[oa]|vivo|trabajo|tengo|mañana|gusta|al|por)(?!\p{L})/giu
}

const languages: ReadonlyArray<DateLanguage> = ["en", "de", "fr", "es"]

/** The language with the most little words in a text; English when none has more. */
export const languageOf = (text: string): DateLanguage => {
  const head = text.slice(0, 2_000)
  const counts = languages.map((language) => head.match(marks[language])?.length ?? 0)
  return languages[counts.indexOf(Math.max(...counts))] ?? "en"
}
