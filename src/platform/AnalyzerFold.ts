/**
 * One spelling for what is the same letter: compatibility forms, case, and (in `folded`) accents. Both folds give the
 * same text again when applied twice. `seen` is what a reader sees: nothing invisible, quotes and dashes of one shape.
 */

/** Compatibility forms and case folded away, accents kept: `Straße` is `strasse`, `İ` is `i`, a final sigma is `σ`. */
export const lowered = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase()
  // Folding can leave a new compatibility form (a mark that now stands beside another letter), so a second round.
  return fold(fold(text.normalize("NFKC")).normalize("NFKC")).normalize("NFKC")
}

/** `lowered` without Latin and Greek accents, Hebrew points and Arabic vowel signs: what people type in haste. */
export const folded = (text: string): string => unaccented(lowered(text))

/** The second half of `folded`, for text that is `lowered` already. */
export const unaccented = (lower: string): string => {
  if (ascii.test(lower) || accentless.test(lower)) return lower
  // Points first: one that stands between a letter and its accent would hide the accent.
  return lower.normalize("NFD").replace(points, "").replace(accents, "$1").replace(/\u0435\u0308/g, "\u0435")
    .replace(/[øłđæœðþ]/g, (letter) => plainLetters[letter] ?? letter).normalize("NFC")
}

/** Compatibility forms, quotes and dashes in one spelling, and nothing that has no shape; case and accents stay. */
export const seen = (text: string): string =>
  visibleAscii.test(text)
    ? text
    : text.replace(unseen, "").normalize("NFKC").replace(unseen, "")
      .replace(/[\u2018\u2019\u02bc\u2032`´]/g, "'").replace(/[\u201c-\u201f\u00ab\u00bb\u2033]/g, "\"")
      .replace(/[\u2010-\u2013\u2212]/g, "-")

const visibleAscii = /^[\t\n\r\x20-\x5f\x61-\x7e]*$/
// Format characters, variation selectors, letters without a shape, and control characters that are no white space.
const unseen = /[\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|(?!\s)\p{Cc}/gu

export const ascii = /^[\x00-\x7f]*$/
// Kana, Chinese and Korean have no marks to lose, and come in many short words.
const accentless = /^[\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff\uac00-\ud7a3]*$/
const accents = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu
const points = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g
const plainLetters: Record<string, string> = { ø: "o", ł: "l", đ: "d", æ: "ae", œ: "oe", ð: "d", þ: "th" }

// Lower, upper, lower is a full case fold: ß becomes ss and ı becomes i. A dot above an i is what is left of İ.
const fold = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replace(/ς/g, "σ").replace(/i\u0307/g, "i")
