/**
 * Clock times: `5 pm`, `17:00`, `half past nine`, `quarter to ten`, `noon`, `14 Uhr`, `下午三点`. The key is the time of
 * day in 24 hours; a pair of numbers that is no time of day (`27:10`) keeps its spelling and shares the dimension.
 */
import type { Language } from "./ClaimLanguage.ts"
import { chineseNumber, numberOf, numberRun } from "./ClaimNumberWords.ts"
import type { Token } from "./ClaimTokens.ts"
import type { Found } from "./ClaimValue.ts"

const at = (hour: number, minute: number, second = 0): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}${
    second === 0 ? "" : `:${String(second).padStart(2, "0")}`
  }`

/** The hour of 24 that `hour` of a half of the day is. */
const inHalf = (hour: number, half: string | undefined): number | undefined => {
  if (half === undefined) return hour <= 24 ? hour % 24 : undefined
  if (hour < 1 || hour > 12) return hour <= 24 ? hour : undefined
  return half === "am" ? hour % 12 : hour % 12 + 12
}

const halfOf = (word: string | undefined): "am" | "pm" | undefined => word === "am" || word === "pm" ? word : undefined

/** "in the morning", "in the evening", "at night" after a time. */
const halfAfter = (
  tokens: ReadonlyArray<Token>,
  i: number
): { readonly half: "am" | "pm"; readonly length: number } | undefined => {
  const short = halfOf(tokens[i]?.low)
  if (short !== undefined) return { half: short, length: 1 }
  const [first, second, third] = [tokens[i]?.low, tokens[i + 1]?.low, tokens[i + 2]?.low]
  if (first === "in" && second === "the") {
    if (third === "morning") return { half: "am", length: 3 }
    if (third === "afternoon" || third === "evening") return { half: "pm", length: 3 }
  }
  return undefined
}

const dayParts: ReadonlyArray<readonly ["am" | "pm", ReadonlyArray<string>]> = [
  ["am", [
    "de la mañana",
    "da manhã",
    "di mattina",
    "del mattino",
    "du matin",
    "morgens",
    "утра",
    "часа утра",
    "часов утра"
  ]],
  ["pm", [
    "de la tarde",
    "de la noche",
    "da tarde",
    "da noite",
    "del pomeriggio",
    "di sera",
    "du soir",
    "de l après-midi",
    "nachmittags",
    "abends",
    "uhr nachmittags",
    "uhr abends",
    "дня",
    "часа дня",
    "вечера",
    "часов вечера",
    "часа вечера"
  ]]
]
const dayPartWords = dayParts.map(([half, phrases]) => [half, phrases.map((phrase) => phrase.split(" "))] as const)

/** "de la tarde", "da manhã", "часа дня" behind a number. */
const partOfDay = (
  tokens: ReadonlyArray<Token>,
  i: number
): { readonly half: "am" | "pm"; readonly length: number } | undefined => {
  if (tokens[i] === undefined) return undefined
  for (const [half, phrases] of dayPartWords) {
    const found = phrases.find((words) => words.every((word, k) => tokens[i + k]?.low === word))
    if (found !== undefined) return { half, length: found.length }
  }
  return undefined
}

export const clockAt = (tokens: ReadonlyArray<Token>, i: number, language: Language): Found | undefined => {
  const { low } = tokens[i]!
  const answer = (length: number, key: string): Found => ({
    value: {
      dimension: "time",
      key: `time:${key}`,
      text: tokens.slice(i, i + length).map(({ text }) => text).join(" ")
    },
    length
  })
  const colon = /^(\d{1,3})[:h](\d{2})(?::(\d{2}))?(am|pm|h)?$/.exec(low)
  if (colon !== null) {
    const hour = Number(colon[1])
    const minute = Number(colon[2])
    const after = halfOf(colon[4]) === undefined ? halfAfter(tokens, i + 1) : undefined
    const uhr = /^(?:uhr|h|uur|heures|hours|hrs)$/.test(tokens[i + 1]?.low ?? "") ? 1 : 0
    const whole = inHalf(hour, halfOf(colon[4]) ?? after?.half)
    if (whole === undefined || minute > 59 || colon[1]!.length > 2) return answer(1, low)
    return answer(1 + (after?.length ?? uhr), at(whole, minute, Number(colon[3] ?? 0)))
  }
  const dotted = /^(\d{1,2})\.(\d{2})(am|pm)?$/.exec(low)
  if (dotted !== null && (dotted[3] !== undefined || /^(?:uhr|uur|am|pm)$/.test(tokens[i + 1]?.low ?? ""))) {
    const after = dotted[3] === undefined ? halfOf(tokens[i + 1]?.low) : halfOf(dotted[3])
    const whole = inHalf(Number(dotted[1]), after)
    if (whole !== undefined) return answer(dotted[3] === undefined ? 2 : 1, at(whole, Number(dotted[2])))
  }
  const bare = /^(\d{1,2})h$/.exec(low)
  if (bare !== null && language !== "en" && Number(bare[1]) <= 24) {
    return answer(1, at(Number(bare[1]) % 24, 0))
  }
  const joined = /^(\d{1,2})(am|pm)$/.exec(low)
  if (joined !== null) {
    const whole = inHalf(Number(joined[1]), halfOf(joined[2]))
    return whole === undefined ? undefined : answer(1, at(whole, 0))
  }
  if (language === "en") {
    if (low === "noon" || low === "midday") return answer(1, at(12, 0))
    if (low === "midnight") return answer(1, at(0, 0))
  }
  const number = /^\d{1,2}$/.test(low) ? Number(low) : numberOf(low, language)
  if (number !== undefined && number <= 24) {
    const next = tokens[i + 1]?.low
    const said = partOfDay(tokens, i + 1)
    if (said !== undefined && number >= 1 && number <= 12) {
      return answer(1 + said.length, at(inHalf(number, said.half)!, 0))
    }
    const french = (language === "fr" || language === "pt") && /^(?:h|heures|horas)$/.test(next ?? "") &&
      /^(?:à|a|às|vers|dès|as)$/.test(tokens[i - 1]?.low ?? "")
    if (next === "uhr" || next === "uur" || next === "o'clock" || french) {
      const after = halfAfter(tokens, i + 2)
      const minutes = /^\d{1,2}$/.test(tokens[i + 2]?.low ?? "") && next === "uhr"
        ? Number(tokens[i + 2]!.low)
        : undefined
      const whole = inHalf(number, after?.half)
      if (whole !== undefined) {
        return answer(2 + (after?.length ?? (minutes === undefined ? 0 : 1)), at(whole, minutes ?? 0))
      }
    }
    const spoken = language === "en" ? halfAfter(tokens, i + 1) : undefined
    if (
      spoken !== undefined && spoken.length === 3 && number >= 1 && number <= 12 &&
      /^(?:at|from|until|to|by|before|after|around|about)$/.test(tokens[i - 1]?.low ?? "")
    ) {
      return answer(4, at(inHalf(number, spoken.half)!, 0))
    }
    const after = halfOf(next)
    // "nine am" is a time, "I am" is not, and neither is "of the 12 am".
    if (after !== undefined && number >= 1 && number <= 12) return answer(2, at(inHalf(number, after)!, 0))
  }
  return language === "en" ? spoken(tokens, i, answer) : unspaced(tokens, i, language, answer)
}

/** `half past nine`, `a quarter to ten`, `ten past nine`, `nine thirty`. */
const spoken = (
  tokens: ReadonlyArray<Token>,
  i: number,
  answer: (length: number, key: string) => Found
): Found | undefined => {
  const low = tokens[i]!.low
  const word = (k: number) => tokens[i + k]?.low ?? ""
  const hourAt = (k: number): number | undefined => {
    const text = word(k)
    const hour = /^\d{1,2}$/.test(text) ? Number(text) : numberOf(text, "en")
    return hour !== undefined && hour >= 1 && hour <= 12 ? hour : undefined
  }
  const minutes = low === "half"
    ? 30
    : low === "quarter"
    ? 15
    : /^\d{1,2}$/.test(low)
    ? Number(low)
    : numberOf(low, "en")
  if (minutes !== undefined && minutes < 60) {
    const skip = word(1) === "minutes" ? 1 : 0
    const relation = word(1 + skip)
    const hour = hourAt(2 + skip)
    if (
      (relation === "past" || (relation === "to" && (low === "quarter" || /^(?:five|ten|twenty)$/.test(low)))) &&
      hour !== undefined
    ) {
      const after = halfAfter(tokens, i + 3 + skip)
      const whole = inHalf(hour, after?.half)
      if (whole === undefined) return undefined
      const total = (whole * 60 + (relation === "past" ? minutes : -minutes) + 1440) % 1440
      return answer(3 + skip + (after?.length ?? 0), at(Math.trunc(total / 60), total % 60))
    }
  }
  const hour = numberOf(low, "en")
  if (hour !== undefined && hour >= 1 && hour <= 12 && tokens[i - 1]?.low === "at") {
    const tail = numberRun([word(1), word(2)], 0, "en")
    if (tail !== undefined && tail.value >= 10 && tail.value < 60) {
      const after = halfAfter(tokens, i + 1 + tail.length)
      const whole = inHalf(hour, after?.half)
      if (whole !== undefined) return answer(1 + tail.length + (after?.length ?? 0), at(whole, tail.value))
    }
  }
  return undefined
}

const morning = new Set(["上", "早", "凌", "前"])

/** `下午三点半`, `15時30分`, `午後3時`: the half of the day stands before, in two letters. */
const unspaced = (
  tokens: ReadonlyArray<Token>,
  i: number,
  language: Language,
  answer: (length: number, key: string) => Found
): Found | undefined => {
  if (language !== "zh" && language !== "ja") return undefined
  const word = (k: number) => tokens[i + k]?.low ?? ""
  let k = 0
  let half: "am" | "pm" | undefined
  if (
    word(1) === "午" || (word(0) === "午" && /[前后後]/.test(word(1))) || /^[早晚]$/.test(word(0)) && word(1) === "上"
  ) {
    half = morning.has(word(0) === "午" ? word(1) : word(0)) ? "am" : "pm"
    k = 2
  }
  let digits = ""
  if (/^\d+$/.test(word(k))) digits = word(k++)
  else while (/^[零一二两三四五六七八九十]$/.test(word(k))) digits += word(k++)
  if (digits === "") {
    const clock = /^(\d{1,2}):(\d{2})$/.exec(word(k))
    if (clock === null || half === undefined) return undefined
    const whole = inHalf(Number(clock[1]), half)
    return whole === undefined ? undefined : answer(k + 1, at(whole, Number(clock[2])))
  }
  if (!/^[点點时時]$/.test(word(k))) return undefined
  k++
  if (word(k) === "间" || word(k) === "間") return undefined
  const hour = /^\d+$/.test(digits) ? Number(digits) : chineseNumber(digits)
  let minute = 0
  if (word(k) === "半") {
    minute = 30
    k++
  } else if (/^\d{1,2}$/.test(word(k)) && word(k + 1) === "分") {
    minute = Number(word(k))
    k += 2
  }
  const whole = hour === undefined ? undefined : inHalf(hour, half)
  return whole === undefined ? undefined : answer(k, at(whole, minute))
}
