/**
 * Words of the scripts written without spaces. Thai, Lao, Khmer and Burmese are cut by ICU's dictionary; East Asian
 * text is given by every two neighbouring letters, so that any word inside it is found, and by ICU's words beside.
 */
import { ascii, lowered } from "./AnalyzerFold.ts"

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]/u
const southEastAsian = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const either = new RegExp(`${eastAsian.source}|${southEastAsian.source}`, "u")
const pieces = new RegExp(
  `(?<east>(?:${eastAsian.source})+)|(?<south>(?:${southEastAsian.source})(?:${southEastAsian.source}|\\p{M})*)|` +
    `(?:(?!${either.source})[\\p{L}\\p{N}\\p{M}])+`,
  "gu"
)

/** Whether a run has letters of a script without spaces. */
export const isUnspaced = (run: string): boolean => either.test(run)

/**
 * Adds the words of a run to `out`; pieces of spaced scripts inside it go to `other`. `before` is the East Asian letter
 * that touches the run, if any, and the answer is the one that ends it: no pair is lost where a long run was cut.
 */
export const emitUnspaced = (
  run: string,
  before: string,
  out: Array<string>,
  other: (piece: string) => void
): string => {
  let touching = before
  for (const { 0: piece, groups } of run.matchAll(pieces)) {
    if (groups?.["east"] !== undefined) {
      touching = emitPairs(lowered(piece), touching, out)
      continue
    }
    touching = ""
    if (groups?.["south"] === undefined) other(piece)
    else for (const segment of segments(lowered(piece))) out.push(segment)
  }
  return touching
}

const emitPairs = (run: string, before: string, out: Array<string>): string => {
  let previous = before
  for (const letter of run) {
    if (previous !== "") out.push(previous + letter)
    previous = letter
  }
  for (const segment of segments(run)) if (Array.from(segment).length !== 2) out.push(segment)
  return previous
}

/** A word of a script that spells sounds, where a shared pair of letters says nothing, and the pairs it is cut into. */
export interface SpelledWord {
  readonly word: string
  /** Of the word itself, in order. */
  readonly pairs: ReadonlyArray<string>
  /** Those that reach into a particle written onto it. */
  readonly endings: ReadonlyArray<string>
}

// Han letters mean something each, and Hiragana is mostly endings: neither is read here.
const spelled = /[\p{Script=Hangul}]+|[\p{Script=Katakana}ー]+/gu

/** The Korean and Katakana words of a text, each without the particle that it plainly carries. */
export const spelledWords = (text: string): ReadonlyArray<SpelledWord> => {
  if (ascii.test(text)) return []
  const runs = Array.from(lowered(text.normalize("NFKC")).matchAll(spelled), ([run]) => Array.from(run))
  return runs.flatMap((run) => {
    const length = lengthOfNoun(run, runs.length === 1)
    const pairs = run.slice(1).map((letter, at) => `${run[at] ?? ""}${letter}`)
    if (pairs.length === 0) return []
    return [{
      word: run.slice(0, length).join(""),
      pairs: pairs.slice(0, length - 1),
      endings: pairs.slice(length - 1)
    }]
  })
}

/** What may follow a noun: after a closed syllable, after an open one, after either. Longer ones first. */
const particles = {
  either: ["입니다", "에서", "에게", "한테", "까지", "부터", "처럼", "보다", "하고", "의", "에", "도"],
  closed: ["으로", "은", "을", "과", "이"],
  open: ["로", "는", "를", "와", "가"]
} as const

// Many nouns end in these (고양이, 휴가, 지도): a question of one word means the noun.
const ambiguous: ReadonlySet<string> = new Set(["이", "가", "도"])

/** How many letters of a run are left without its particle: at least two, for one letter may be any word. */
const lengthOfNoun = (run: ReadonlyArray<string>, isAlone: boolean): number => {
  const word = run.join("")
  for (const [kind, endings] of Object.entries(particles)) {
    for (const ending of endings) {
      const length = run.length - ending.length
      if (!word.endsWith(ending) || length < 2 || (isAlone && ambiguous.has(ending))) continue
      if (kind === "either" || isClosed(run[length - 1] ?? "") === (kind === "closed")) return length
    }
  }
  return run.length
}

// The syllables of Unicode stand in the order of their parts: each opening has 28 endings, the first of which is none.
const isClosed = (syllable: string): boolean => {
  const at = (syllable.codePointAt(0) ?? 0) - 0xac00
  return at >= 0 && at % 28 > 0
}

let segmenter: Intl.Segmenter | undefined

/** ICU's search is worse than linear in the length of its input: callers pass runs of at most a few hundred letters. */
const segments = (run: string): Array<string> => {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  return Array.from(segmenter.segment(run)).filter(({ isWordLike }) => isWordLike === true).map((part) => part.segment)
}
