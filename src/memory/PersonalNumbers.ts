/**
 * Numbers and addresses of people, each checked by the rule of who gives it out: payment cards (issuer prefix, length,
 * Luhn), US Social Security numbers (ranges never issued), IBAN (length of its country, mod 97), phone numbers (E.164
 * country codes, North American plan, or a word that says so) and email addresses. Linear time: each pattern begins only
 * where its run can begin, and reads a bounded stretch.
 */
import { countrySpecs, isValidIBAN } from "ibantools"

const digitsOf = (text: string): string => text.replace(/\D/g, "")

// ---- payment cards -------------------------------------------------------------------------------------------------

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled; the sum of digits is a multiple of ten. */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    sum += place % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9
  }
  return sum % 10 === 0
}

/** Issuer prefixes with the lengths they are issued in. */
const issuers: ReadonlyArray<readonly [prefix: RegExp, lengths: ReadonlyArray<number>]> = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65|62|81)/, [16, 17, 18, 19]],
  [/^(?:30[0-5]|3095|36|38|39)/, [14, 16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^220[0-4]/, [16, 17, 18, 19]],
  [/^(?:50|5[6-8]|63|67)/, [13, 14, 15, 16, 17, 18, 19]],
  [/^(?:60|82|9792)/, [16]]
]

const isCard = (digits: string): boolean =>
  issuers.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits)) && passesLuhn(digits)

// In one piece: no digit may continue it, with or without a separator, and no letter or hex run holds it.
const solidCard = /(?<![\p{L}\d_+])(?<!\d[ .,:/-])\d{13,19}(?![\p{L}\d_]|[.,:-]\d)/gu
// In the groups printed on cards, after which a space may part a code or a year; a column of four-digit numbers is longer
// and is none.
const groupedCard = new RegExp(
  "(?<![\\p{L}\\d_])(?<!\\d{4}[ .-])(?<!\\p{Lu}{2}\\d\\d ?)"
    + "(?:\\d{4}([ .-])\\d{4}\\1\\d{4}\\1\\d{2,4}(?!\\d)(?:\\1\\d{1,3}(?![\\d/]))?|\\d{4}([ .-])\\d{6}\\2\\d{4,5})"
    + "(?![\\p{L}\\d_]|[.-]\\d| \\d{4} \\d{4})",
  "gu"
)
// A number of goods, a device or a phone that passes by chance or shares the check digit.
const goods =
  /\b(?:ean|gtin|isbn|issn|upc|barcode|imei|iccid|tracking|snowflake|phone|tel|telefon|mobile|mobil|whatsapp|fax|sms)\b[^\d\n]{0,16}$/i

// Four round amounts in a row pass the check digit by chance.
const roundGroups = /^(?:\d\d00){4}$/

const hasCard = (text: string): boolean => {
  for (const match of text.matchAll(groupedCard)) {
    const digits = digitsOf(match[0])
    if (roundGroups.test(digits)) continue
    if (isCard(digits) || (/ \d{3}$/.test(match[0]) && isCard(digits.slice(0, -3)))) return true
  }
  for (const match of text.matchAll(solidCard)) {
    if (isCard(match[0]) && !goods.test(text.slice(Math.max(0, match.index - 40), match.index))) return true
  }
  return false
}

// ---- US Social Security numbers --------------------------------------------------------------------------------------

// Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never issued (Social Security Administration, 2011).
const ssnParts = (separator: string) =>
  `(?!000|666|9)\\d{3}${separator}(?!00)\\d\\d${separator.replace("(", "(?:")}(?!0000)\\d{4}`
const separatedSsn = new RegExp(
  "(?<![\\p{L}\\d_])(?<!\\d[ .,/+-]|[+-])(?!000|666|9)\\d{3}([ -])(?!00)\\d\\d\\1(?!0000)\\d{4}(?![\\p{L}\\d_]|[ .,-]\\d|-\\p{L})",
  "u"
)
const ssnWords = "(?:ssn|social[ _-]?security(?:[ _-]?(?:number|no\\.?|num|#))?)"
const ssnAfterWord = new RegExp(`(?<![\\p{L}])${ssnWords}[^\\d\\n]{0,40}${ssnParts("[ .-]?")}(?!\\d)`, "iu")
const ssnBeforeWord = new RegExp(`(?<![\\d.-])${ssnParts("[ .-]?")}(?!\\d)[^\\p{L}\\d\\n]{0,4}${ssnWords}`, "iu")

const hasSsn = (text: string): boolean => separatedSsn.test(text) || ssnAfterWord.test(text) || ssnBeforeWord.test(text)

// ---- IBAN --------------------------------------------------------------------------------------------------------------

const ibanStart = /(?<![\p{L}\d_])[A-Za-z]{2}\d\d(?=[ -]?[A-Za-z0-9])/gu
// Longer than any IBAN with a separator after each character.
const IBAN_REACH = 70

const SPACE = 32
const HYPHEN = 45
const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

const hasIban = (text: string): boolean => {
  for (const { 0: head, index } of text.matchAll(ibanStart)) {
    const length = countrySpecs[head.slice(0, 2).toUpperCase()]?.chars
    if (length === null || length === undefined) continue
    let count = 0
    let place = index
    for (; place < index + IBAN_REACH && count < length; place++) {
      const code = text.charCodeAt(place)
      if (isAlphanumeric(code)) count++
      else if ((code !== SPACE && code !== HYPHEN) || !isAlphanumeric(text.charCodeAt(place + 1))) break
    }
    if (count < length || isAlphanumeric(text.charCodeAt(place))) continue
    if (isValidIBAN(text.slice(index, place).replace(/[ -]/g, "").toUpperCase())) return true
  }
  return false
}

// ---- email ---------------------------------------------------------------------------------------------------------------

// RFC 5321 bounds the local part at 64 octets and a domain label at 63.
const email = new RegExp(
  "(?<![\\p{L}\\p{N}._%+-]|//)[\\p{L}\\p{N}_%+](?:[\\p{L}\\p{N}._%+-]{0,62}[\\p{L}\\p{N}_%+])?"
    + "@((?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.){1,8}\\p{L}{2,24})(?![\\p{L}\\p{N}@]|-\\p{L})(:[^\\s\\d])?",
  "gu"
)
const fileEnding =
  /\.(?:png|jpe?g|gif|svg|webp|ico|css|scss|js|mjs|cjs|ts|tsx|jsx|json|md|html?|ya?ml|txt|pdf|t?gz|zip|tar)$/i

const hasEmail = (text: string): boolean => {
  for (const [match, domain = "", path] of text.matchAll(email)) {
    // `git@host:owner/name` is an address of a repository.
    if (!fileEnding.test(domain) && !(path !== undefined && match.startsWith("git@"))) return true
  }
  return false
}

// ---- phone -----------------------------------------------------------------------------------------------------------------

// Country codes in use (ITU-T E.164, list of assigned codes); the number after one begins with no 0, save Italy's.
const countryCode =
  "(?:1(?=[ .()-]{0,3}[1-9]\\d\\d[ .)-]{0,3}\\d)|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
  + "|(?:2[1-689]|3[578]|42|5[09]|6[789]|8[058]|9[679])\\d)"
const internationalPhone = new RegExp(
  `(?<![\\p{L}\\d_.,+*/=-])(?:\\+|00 ?(?=\\d{1,3}[ ./-]))(?:39[ .-]?0|${countryCode}[ .-]?)(?:\\(\\d{1,5}\\)[ .-]?)?[1-9](?:[ .()/-]{0,2}\\d){5,12}(?![\\p{L}\\d_]|[.,]\\d)`,
  "gu"
)
const americanPhone = new RegExp(
  "(?<![\\p{L}\\d_.,/+#-])(?<!\\d[ ])(?:1[ .-])?(?:\\([1-9]\\d\\d\\)[ ]?\\d{3}[ .-]\\d{4}|[2-9]\\d\\d([.-])\\d{3}\\1\\d{4})"
    + "(?![\\p{L}\\d_]|[.,:/-]\\d|-\\p{L})",
  "gu"
)
// Forms that nothing else has: five pairs from 0 (France), and the United Kingdom's groups.
const europeanPhone = new RegExp(
  "(?<![\\p{L}\\d_.,/+#-])(?<!\\d[ ])(?:0[1-9](?:([ .])\\d\\d)(?:\\1\\d\\d){3}|\\(?0\\d{2}\\)? \\d{4} \\d{4}|\\(?0\\d{3}\\)? \\d{3} \\d{4}|07\\d{3} \\d{6})"
    + "(?![\\p{L}\\d_]|[ .,:/-]\\d)",
  "gu"
)
const phoneWords =
  "tel(?:ephone|efon|efono|éfono|éphone|\\.)?|phone|mobile|mobil|móvil|cell(?:phone|ular)?|handy|fax|whatsapp|sms|(?:call|text|reach|ring)"
  + " (?:me|him|her|us|them|you)?(?: ?(?:at|on|under))|телефон|тел|电话|電話|手机|휴대폰|携帯"
const namedPhone = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}])(?:${phoneWords})(?:[ _-]?(?:number|no|nr|nummer|num|#))?(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\d])`
    + "[\"'`*\\s:：=.#-]{0,8}(?:is |ist |es |est |:)?[\"'`]?(?<number>\\+?\\(?\\d(?:[ .()/-]{0,3}\\d){6,14})(?![\\p{L}\\d_]|[.,:]\\d)",
  "giu"
)
const notPhone = /^(?:\d{4}[-./]\d\d?[-./]\d\d?|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,3}(?:\.\d{1,3}){3})(?!\d)/
const other =
  /(?:order|ticket|version|release|build|ip|invoice|case|ref(?:erence)?|sku|part|model|serial|item|id|bestellung|auftrag|commande|pedido)[^\p{L}\d\n]{0,3}(?:(?:no\.?|nr\.?|number|id)[^\p{L}\d\n]{0,3})?$/iu

/** E.164 allows 15 digits, the North American plan has 11; a run without separators is long, or it is an amount. */
const isDialable = (match: string, digits: string): boolean =>
  digits.length <= 17 && (!match.startsWith("+1") || digits.length === 11) &&
  (digits.length >= 10 || /[ .()/-]/.test(match))

const isCounting = (digits: string): boolean => digits === "0102030405"

const hasPhone = (text: string): boolean => {
  for (const pattern of [internationalPhone, americanPhone, europeanPhone]) {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const digits = digitsOf(match)
      if (isCounting(digits) || (pattern === internationalPhone && !isDialable(match, digits))) continue
      if (!other.test(text.slice(Math.max(0, index - 32), index))) return true
    }
  }
  for (const { groups } of text.matchAll(namedPhone)) {
    if (!notPhone.test(groups?.["number"] ?? "")) return true
  }
  return false
}

/** The kind of the first number that is high: a payment card or a Social Security number. */
export const guardedNumberKind = (text: string): string | undefined =>
  !/\d{2}/.test(text)
    ? undefined
    : hasCard(text)
    ? "a payment card number"
    : hasSsn(text)
    ? "a US Social Security number"
    : undefined

/** The kind of the first contact or bank number: an email address, an IBAN or a phone number. */
export const contactKind = (text: string): string | undefined =>
  text.includes("@") && hasEmail(text)
    ? "an email address"
    : !/\d/.test(text)
    ? undefined
    : hasIban(text)
    ? "an IBAN"
    : hasPhone(text)
    ? "a phone number"
    : undefined
