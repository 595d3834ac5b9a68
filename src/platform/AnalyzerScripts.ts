/**
 * Words of the scripts written without spaces. Thai, Lao, Khmer and Burmese are cut by ICU's dictionary; East Asian
 * text is given by every two neighbouring letters, so that any word inside it is found, and by ICU's words beside.
 */
import { lowered } from "./AnalyzerFold.ts"

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

let segmenter: Intl.Segmenter | undefined

/** ICU's search is worse than linear in the length of its input: callers pass runs of at most a few hundred letters. */
const segments = (run: string): Array<string> => {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  return Array.from(segmenter.segment(run)).filter(({ isWordLike }) => isWordLike === true).map((part) => part.segment)
}
