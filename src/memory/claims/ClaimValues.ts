/**
 * The values of a claim: numbers, amounts of money, measures, clock times, dates, weekdays, versions, spans of
 * repetition. A value has a dimension, within which two values can be told apart, and a key that is the same for every
 * way to write it (`5 pm` and `17:00`, `3` and `three`, `1.5 hours` and `90 minutes`).
 */
import { isDoubtful, monthOf, weekdayOf } from "../../platform/CalendarNames.ts"
import { dateJoiners, dateKey, isDate } from "./ClaimCalendar.ts"
import type { Language } from "./ClaimLanguage.ts"
import { chineseNumber, numberRun, ordinalOf } from "./ClaimNumberWords.ts"
import { clockAt } from "./ClaimTimes.ts"
import type { Token } from "./ClaimTokens.ts"
import { currencyOf, isCurrencySign, repeats, spanOf, touchesOnly, unitOf } from "./ClaimUnits.ts"
import type { Found } from "./ClaimValue.ts"

const rounded = (value: number): string => String(Number(value.toPrecision(12)))

/** The number a run of digits and separators writes, or undefined. */
export const numeral = (digits: string, language: Language): number | undefined => {
  const text = digits.replace(/^\+/, "")
  if (/^-?\d+$/.test(text)) return Number(text)
  if (/^-?\d{1,3}(?:'\d{3})+(?:\.\d+)?$/.test(text)) return Number(text.replaceAll("'", ""))
  const english = language === "en" || language === "zh" || language === "ja" || language === "ko"
  if (/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) && (english || /\.|,.*,/.test(text))) {
    return Number(text.replaceAll(",", ""))
  }
  if (/^-?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(text) && (!english || /,|\..*\./.test(text))) {
    return Number(text.replaceAll(".", "").replace(",", "."))
  }
  if (/^-?\d*\.\d+$/.test(text)) return Number(text)
  if (/^\d+(?:\.\d+)?e\d{1,2}$/.test(text)) return Number(text)
  const [, base, exponent] = /^(\d{1,4})\^(\d{1,2})$/.exec(text) ?? []
  if (base !== undefined) return Number(base) ** Number(exponent)
  // "1/2", "½"; 24/7 is none.
  const [, part, whole] = /^(\d{1,2})[/\u2044](\d{1,2})$/.exec(text) ?? []
  if (part !== undefined) return Number(part) < Number(whole) ? Number(part) / Number(whole) : undefined
  // No thousands have two digits.
  if (/^-?\d+,\d{1,2}$/.test(text)) return Number(text.replace(",", "."))
  return /^-?\d+,\d+$/.test(text) && !english ? Number(text.replace(",", ".")) : undefined
}

const scales: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, mio: 1e6, mn: 1e6, b: 1e9, bn: 1e9 }
const compact = /^(\p{Sc}|us\$|ca\$|au\$)?([+-]?\.?\d[\d.,']*)(\p{L}[\p{L}²³/]*|%|°[cf]?)?$/u
const signed = /^-(\p{Sc})/u

/** The value that starts at token `i`, or undefined. */
export const valueAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const token = tokens[i]!
  return clockAt(tokens, i, language) ?? dateAt(tokens, i, language) ?? repeatAt(tokens, i, language) ??
    (/\d/.test(token.low) || /^\p{Sc}$/u.test(token.low) || /^(?:us|ca|au)\$$/.test(token.low)
      ? digitsAt(tokens, i, language)
      : wordsAt(tokens, i, language))
}

const textOf = (tokens: ReadonlyArray<Token>, i: number, length: number) =>
  tokens.slice(i, i + length).map(({ text }) => text).join(" ")

const found = (tokens: ReadonlyArray<Token>, i: number, length: number, dimension: string, key: string): Found => ({
  value: { dimension, key: `${dimension}:${key}`, text: textOf(tokens, i, length) },
  length
})

const digitsAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const token = tokens[i]!
  let low = token.low
  let taken = 1
  if (isCurrencySign(low) || /^(?:us|ca|au)\$$/.test(low)) {
    const next = tokens[i + 1]
    if (next === undefined || !/^[\d.]/.test(next.low)) return undefined
    low += next.low
    taken = 2
  }
  low = low.replace(signed, "$1-")
  if (
    /^v?\d+(?:\.\d+){2,}(?:[-+.][\w.-]+)?$/.test(low) && numeral(low, language) === undefined ||
    /^v\d+(?:\.\d+)*$/.test(low)
  ) {
    return found(tokens, i, 1, "version", low.replace(/^v/, ""))
  }
  const range = /^(\p{Sc}?[\d.,:]+(?:am|pm|[a-z%]*))-(\p{Sc}?[\d.,:]+(?:am|pm|[a-z%]*))$/u.exec(low)
  if (range !== null) return found(tokens, i, 1, "range", low)
  const ordinal = ordinalOf(low)
  if (ordinal !== undefined) return found(tokens, i, 1, "ordinal", String(ordinal))
  const whole = /[\^e/\u2044]/.test(low) ? numeral(low, language) : undefined
  if (whole !== undefined) return measured(tokens, i, taken, whole, rounded(whole), undefined, undefined, language)
  const parts = compact.exec(low)
  if (parts === null) return undefined
  const [, sign, digits = "", suffix] = parts
  const plain = numeral(digits, language)
  if (plain === undefined) return found(tokens, i, taken, "number", digits)
  let number = plain
  let unit = suffix
  const currencyHere = sign === undefined ? undefined : currencyOf(sign)
  if (suffix !== undefined) {
    // A bare m, b or t after digits may be metres or millions, bytes or billions: only k is a number everywhere.
    // 5G is no weight.
    if (token.text.endsWith("G")) return undefined
    if (suffix === "k" || (currencyHere !== undefined && scales[suffix] !== undefined)) {
      number *= scales[suffix]!
      unit = undefined
    } else if (unitOf(suffix) === undefined && currencyOf(suffix) === undefined) return undefined
  }
  const scaled = tokens[i + taken]
  if (unit === undefined && scaled !== undefined) {
    const factor = /^(?:thousand|million|millions|billion|mio|tausend|mille|mil|millones|milhões)$/.test(scaled.low)
      ? numberRun([scaled.low], 0, language)?.value
      : undefined
    if (factor !== undefined) {
      number *= factor
      taken++
    }
  }
  return measured(tokens, i, taken, number, digits, unit, currencyHere, language)
}

const wordsAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const token = tokens[i]!
  if (language === "zh" || language === "ja") return chineseAt(tokens, i, language)
  const hyphened = token.low.includes("-") && language !== "pt" ? token.low.split("-") : [token.low]
  const window = tokens.slice(i, i + 8)
  const words = hyphened.length > 1 ? hyphened : window.map(({ low }) => low)
  const run = numberRun(words, 0, language)
  if (run !== undefined) {
    const halved = language === "en" && words[run.length] === "and" && words[run.length + 1] === "a" &&
      words[run.length + 2] === "half"
    if (halved) {
      return measured(
        tokens,
        i,
        run.length + 3,
        run.value + 0.5,
        String(run.value + 0.5),
        undefined,
        undefined,
        language
      )
    }
    if (hyphened.length > 1 && run.length < hyphened.length) return undefined
    // "The Seven Samurai": a capital inside a sentence is part of a name.
    if (!token.first && /^\p{Lu}/u.test(token.text) && token.text !== token.text.toUpperCase()) return undefined
    const taken = hyphened.length > 1 ? 1 : run.length
    return measured(tokens, i, taken, run.value, String(run.value), undefined, undefined, language)
  }
  // "an hour and a half", "rests for an hour": one of it.
  if (
    language === "en" && (token.low === "an" || token.low === "a") &&
    /^(?:hour|minute|day|week|month|year)$/.test(tokens[i + 1]?.low ?? "")
  ) {
    const half = tokens[i + 2]?.low === "and" && tokens[i + 3]?.low === "a" && tokens[i + 4]?.low === "half"
    if (half || /^(?:for|lasts?|takes?|took|within|after|about|than)$/.test(tokens[i - 1]?.low ?? "")) {
      const unit = unitOf(tokens[i + 1]!.low)!
      return found(tokens, i, half ? 5 : 2, unit.dimension, rounded((half ? 1.5 : 1) * unit.factor))
    }
  }
  const count = language === "en" ? { once: 1, twice: 2, thrice: 3 }[token.low] : undefined
  if (count !== undefined) return found(tokens, i, 1, "number", String(count))
  const ordinal = language === "en" ? ordinalOf(token.low) : undefined
  // "The second floor" counts, "a second" measures.
  const counts = token.low !== "second" || /^(?:the|his|her|its|their|my|our|every)$/.test(tokens[i - 1]?.low ?? "") ||
    tokens[i - 1]?.possessive === true
  if (ordinal !== undefined && counts) return found(tokens, i, 1, "ordinal", String(ordinal))
  const code = currencyOf(token.low)
  const next = tokens[i + 1]
  if (code !== undefined && /^[A-Z]{3}$/.test(token.text) && next !== undefined && /^\d/.test(next.low)) {
    const amount = digitsAt(tokens, i + 1, language)
    if (amount !== undefined && amount.value.dimension === "number") {
      return found(tokens, i, 1 + amount.length, `money ${code}`, amount.value.key.slice("number:".length))
    }
  }
  return undefined
}

const chineseAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  let length = 0
  while (/^[零〇一二两三四五六七八九十百千万]$/.test(tokens[i + length]?.low ?? "")) length++
  if (length === 0) return undefined
  const number = chineseNumber(tokens.slice(i, i + length).map(({ low }) => low).join(""))
  // 一 alone is as often an article as a number, and stands inside words.
  if (number === undefined || (length === 1 && number === 1)) return undefined
  return measured(tokens, i, length, number, String(number), undefined, undefined, language)
}

/** A number with the unit or currency that follows it, if one does. */
const measured = (
  tokens: ReadonlyArray<Token>,
  i: number,
  taken: number,
  number: number,
  digits: string,
  suffix: string | undefined,
  currency: string | undefined,
  language: Language
): Found => {
  if (currency !== undefined) {
    // "$5 USD" says it twice.
    const repeated = currencyOf(tokens[i + taken]?.low ?? "")
    const more = repeated === currency ? 1 : 0
    return found(tokens, i, taken + more, `money ${currency}`, rounded(number))
  }
  let unit = suffix
  let length = taken
  if (unit === undefined) {
    const next = tokens[i + taken]
    if (next !== undefined && !next.broken) {
      const name = next.low === "degrees" || next.low === "degree" || next.low === "°"
        ? degreesOf(tokens[i + taken + 1]?.low)
        : undefined
      if (name !== undefined) {
        unit = name
        length += 2
      } else if (
        (unitOf(next.low) !== undefined && !touchesOnly(next.low)) || (currencyOf(next.low) !== undefined) ||
        (unitOf(next.low) !== undefined && next.text.length === 1 && !next.first && language === "en" &&
          next.low !== "a")
      ) {
        unit = next.low
        length++
      }
    }
  }
  if (unit === undefined) {
    const decimal = /[.,]/.test(digits) && number !== Math.trunc(number)
    // Without a unit a point may belong to a version, where 3.10 is not 3.1.
    return found(tokens, i, length, "number", decimal ? digits.replace(",", ".").replace(/^\+/, "") : rounded(number))
  }
  const code = currencyOf(unit)
  if (code === "CENT") return found(tokens, i, length, "money CENT", rounded(number))
  if (code !== undefined) return found(tokens, i, length, `money ${code}`, rounded(number))
  const known = unitOf(unit)!
  return found(tokens, i, length, known.dimension, rounded(number * known.factor + (known.offset ?? 0)))
}

const degreesOf = (word: string | undefined): string | undefined => {
  if (word === undefined) return undefined
  if (/^(?:c|celsius|centigrade)$/.test(word)) return "°c"
  return /^(?:f|fahrenheit)$/.test(word) ? "°f" : undefined
}

const dayOf = (token: Token | undefined, language: Language): number | undefined => {
  if (token === undefined) return undefined
  const digits = /^(\d{1,2})(?:st|nd|rd|th|er|\.|º)?$/.exec(token.low)
  const day = digits === null ? (language === "en" ? ordinalOf(token.low) : undefined) : Number(digits[1])
  return day !== undefined && day >= 1 && day <= 31 ? day : undefined
}

const yearOf = (token: Token | undefined): number | undefined =>
  token !== undefined && /^[12]\d{3}$/.test(token.low) ? Number(token.low) : undefined

/** Dates: `2026-05-03`, `3.5.2026`, `3 May 2026`, `May 3rd`, `the 3rd of May`, `5月3日`, `May 2026`, `Monday`. */
const dateAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const token = tokens[i]!
  const low = token.low
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:t([\d:.]+(?:z|[+-][\d:]+)?))?$/.exec(low)
  if (iso !== null && isDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))) {
    const key = dateKey({ year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) })
    return found(tokens, i, 1, "date", iso[4] === undefined ? key : `${key}T${iso[4]}`)
  }
  const dotted = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(low)
  if (dotted !== null) {
    const [first, second, year] = [Number(dotted[1]), Number(dotted[3]), Number(dotted[4])]
    const dayFirst = dotted[2] === "." || language !== "en" || first > 12
    // 3/4/2026 is two dates; it equals itself alone.
    if (!dayFirst && second <= 12 && first !== second) return found(tokens, i, 1, "date", low)
    const [day, month] = dayFirst ? [first, second] : [second, first]
    return isDate(year, month, day) ? found(tokens, i, 1, "date", dateKey({ year, month, day })) : undefined
  }
  if (language === "zh" || language === "ja") {
    let length = 0
    const parts: { year?: number; month?: number; day?: number } = {}
    for (const [sign, part] of [["年", "year"], ["月", "month"], ["日", "day"]] as const) {
      const at = tokens[i + length]
      if (at === undefined || tokens[i + length + 1]?.low !== sign) continue
      const number = /^\d+$/.test(at.low) ? Number(at.low) : chineseNumber(at.low)
      if (number === undefined) continue
      parts[part] = number
      length += 2
    }
    return length > 0 ? found(tokens, i, length, "date", dateKey(parts)) : undefined
  }
  const weekday = weekdayOf(low, language)
  if (weekday !== undefined && (!isDoubtful(low) || /^\p{Lu}/u.test(token.text))) {
    return found(tokens, i, 1, "weekday", String(weekday))
  }
  const month = monthOf(low, language)
  if (month !== undefined) {
    const day = dayOf(tokens[i + 1], language)
    if (day !== undefined && tokens[i + 1]?.broken !== true) {
      const year = yearOf(tokens[i + 2])
      return found(tokens, i, year === undefined ? 2 : 3, "date", dateKey({ year, month, day }))
    }
    const joined = dateJoiners.has(tokens[i + 1]?.low ?? "") ? 2 : 1
    const ordinal = dayOf(tokens[i + joined], language)
    if (joined === 2 && tokens[i + 1]?.low === "the" && ordinal !== undefined) {
      return found(tokens, i, 3, "date", dateKey({ month, day: ordinal }))
    }
    const year = yearOf(tokens[i + joined])
    if (year !== undefined) return found(tokens, i, joined + 1, "date", dateKey({ year, month }))
    const capital = /^\p{Lu}/u.test(token.text)
    if ((isDoubtful(low) || low === "march") && (!capital || token.first)) return undefined
    return capital || language !== "en" ? found(tokens, i, 1, "date", dateKey({ month })) : undefined
  }
  const day = dayOf(token, language)
  if (day === undefined) return undefined
  let at = i + 1
  if (dateJoiners.has(tokens[at]?.low ?? "")) at++
  const named = monthOf(tokens[at]?.low ?? "", language)
  if (named === undefined || tokens[at]?.broken === true) return undefined
  at++
  const beforeYear = dateJoiners.has(tokens[at]?.low ?? "") ? at + 1 : at
  const year = yearOf(tokens[beforeYear])
  if (year !== undefined) at = beforeYear + 1
  return found(tokens, i, at - i, "date", dateKey({ year, month: named, day }))
}

const each = /^(?:per|every|each|a|an|pro|par|por|al|je|jede|jeden|jedes|jeder|chaque|cada|ogni)$/

/** Spans of repetition: `per minute`, `a month`, `every day`, `/s`, `weekly`. */
const repeatAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const { broken, low } = tokens[i]!
  if (repeats.has(low)) return found(tokens, i, 1, "repeat", spanOf(low)!)
  const attached = /^(?:\/|per-)([a-z]+)$/.exec(low)
  if (attached !== null) {
    const span = spanOf(attached[1]!)
    if (span !== undefined) return found(tokens, i, 1, "repeat", span)
  }
  const next = tokens[i + 1]
  if (!each.test(low) || next === undefined || broken && low.length < 3) return undefined
  const span = spanOf(next.low)
  if (span !== undefined) {
    // "a month" repeats only after an amount: "in a week" and "a day off" do not.
    const article = /^(?:a|an|al|por|par)$/.test(low)
    if (
      article && (i === 0 || !/\d|^(?:once|twice|times|euros?|dollars?|pounds?|requests?)$/.test(tokens[i - 1]!.low))
    ) {
      if (article && !(i > 1 && /\d/.test(tokens[i - 2]!.low))) return undefined
    }
    return found(tokens, i, 2, "repeat", span)
  }
  // "every Monday" says no more than "on Mondays".
  return weekdayOf(next.low, language) !== undefined && low.length > 2
    ? found(tokens, i, 2, "weekday", String(weekdayOf(next.low, language)))
    : undefined
}
