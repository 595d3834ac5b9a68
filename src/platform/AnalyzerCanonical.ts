/**
 * When two values say the same thing in the same words. The canonical form drops what only dresses a text (case,
 * sentence punctuation, quotes, white space) and keeps every sign that carries a value: `-5`, `1.5`, `27:10`, `5%`,
 * `€5`, `C++`, `a/b`. Merging on it is final, so in doubt a sign stays: two forms of one claim cost a second row, two
 * claims in one form lose one of them. Accents, superscripts and emoji stay for the same reason.
 */

/** Nothing a reader could see: white space, control characters, marks of no width, blank letters. */
export const isBlank = (text: string): boolean => !visible.test(text)

/** The canonical form of a value: idempotent, linear, and empty only for a blank text. */
export const canonical = (text: string): string => {
  const plain = undressed(text)
  let form = plain
  for (let pass = 0; pass < mostPasses; pass++) {
    const next = withoutPunctuation(form)
    // Punctuation that is the whole value is the value.
    if (next === form) return form === "" ? plain : form
    form = next
  }
  return plain
}

// One pass settles nearly every text and a second proves it. A text built to need more keeps its punctuation.
const mostPasses = 5

const visible = /[^\s\p{Cc}\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u

/** One spelling for what is typed in several: case, fullwidth forms, dashes, quotes, white space, invisible marks. */
const undressed = (text: string): string =>
  text.normalize("NFC").replace(/[\uff01-\uff5e]+/g, (wide) => wide.normalize("NFKC"))
    // Not the tag letters: they tell the flag of England from that of Scotland.
    .replace(/(?![\u{e0020}-\u{e007f}])[\p{Cf}\p{Variation_Selector}]/gu, "")
    .toLowerCase().replace(/ς/g, "σ")
    .replace(/[\u2010-\u2013\u2212]/g, "-")
    .replace(/[\u2018\u2019\u02bc\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u00ab\u00bb\u2033]/g, "\"")
    .replace(/[\s\p{Cc}]+/gu, " ").trim().normalize("NFC")

const withoutPunctuation = (text: string): string =>
  text.replace(/(^|[ ([])(["'])((?:(?!\2).)*)\2(?=$|[ .,;:!?)\]])/g, "$1$3").split(" ").map(tokenOf).join(" ")
    .replace(/ +/g, " ").trim().normalize("NFC")

const letter = /^[\p{L}\p{M}]$/u
const digit = /^\p{N}$/u
const word = /^[\p{L}\p{M}\p{N}]$/u
const symbol = /^\p{S}$/u
const punctuation = /[\p{P}`]/u
const dressing = /^[!?.…:·•‣#—―-]+$/
const alwaysKept: ReadonlySet<string> = new Set("%‰‱٪/\\&@_§")

/** One run without white space. Signs that stand alone ("separator is ;") are kept, dashes and sentence ends are not. */
const tokenOf = (token: string): string => {
  if (!punctuation.test(token)) return token
  if (dressing.test(token)) return ""
  if (token.length <= 3 && /^[\p{P}`]+$/u.test(token)) return token
  const signs = Array.from(token)
  return signs.map((sign, i) => punctuation.test(sign) ? kept(signs, i) : sign).join("")
}

/** What remains of the punctuation at `i`: itself where it carries a value, else nothing or a gap. */
const kept = (signs: ReadonlyArray<string>, i: number): string => {
  const sign = signs[i]!
  const at = (offset: number) => signs[i + offset] ?? ""
  const [before, previous, next, after] = [at(-2), at(-1), at(1), at(2)]
  const inWord = word.test(previous) && word.test(next)
  // Nothing of weight stands before: the start of the token, or punctuation that goes.
  const leading = !word.test(previous) && !symbol.test(previous) && !alwaysKept.has(previous)
  const keep = (condition: boolean) => condition ? sign : " "
  if (alwaysKept.has(sign)) return sign
  switch (sign) {
    case "#":
      return keep(word.test(previous) || word.test(next))
    case "-":
      return keep(
        // A sign, a range or the number of a name; an amount below zero.
        digit.test(next) || /^\p{Sc}$/u.test(next) || (next === "." && digit.test(after)) ||
          // A command's flag.
          (leading && previous !== "-" && (letter.test(next) || (next === "-" && letter.test(after)))) ||
          (previous === "-" && i === 1 && letter.test(next)) ||
          // Blood type A-, grade B-.
          (letter.test(previous) && i <= 2 && next === "")
      )
    case ".":
      // Decimals, versions, host and file names; .5 and .env; ./ and ../
      return keep(
        inWord || (word.test(next) && previous !== "." && !word.test(previous)) || next === "/" ||
          (next === "." && after === "/")
      )
    case ",":
    case "٫":
    case "٬":
      return keep(digit.test(previous) && digit.test(next))
    case "'":
      // Feet and minutes after a number, thousands in one; else an apostrophe, which closes up.
      return digit.test(previous) && !letter.test(next) ? sign : inWord ? "" : " "
    case "\"":
      return keep(digit.test(previous) && !word.test(next))
    case ":":
      return keep(
        inWord || (word.test(previous) && (next === "/" || next === "\\" || (next === ":" && word.test(after)))) ||
          (previous === ":" && word.test(before) && word.test(next))
      )
    case "*":
      return keep(inWord || next === "/" || next === "." || previous === "/" || previous === ".")
    case "!":
      return keep(next === "=" || (word.test(next) && !word.test(previous)))
    case "?":
      return keep(word.test(next) && (word.test(previous) || previous === "/"))
    default:
      return " "
  }
}
