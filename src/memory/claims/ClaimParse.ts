/**
 * One claim, read once and kept: its canonical form, language, frames (English) or sequence of content words (others),
 * values and denials. Texts beyond the parsed prefix carry a digest of all their words, so that two long texts are the
 * same only when every word is.
 */
import { canonical } from "../../platform/Analyzer.ts"
import { type Placed, wordsOf } from "./ClaimAlignment.ts"
import { framesOf } from "./ClaimClauses.ts"
import type { Frame } from "./ClaimFrame.ts"
import { type Language, languageOf } from "./ClaimLanguage.ts"
import { type Record, recordOf } from "./ClaimRecord.ts"
import { type Sequence, sequenceOf } from "./ClaimSequence.ts"
import { type Stance, stanceOf } from "./ClaimStance.ts"
import { plain } from "./ClaimSubjects.ts"
import { longestParsed, mostTokens, tokensOf } from "./ClaimTokens.ts"
import { type Worded, wordedOf } from "./ClaimWording.ts"

export interface Claim {
  readonly text: string
  readonly canonical: string
  readonly language: Language
  /** By how many little words the language won. */
  readonly certainty: number
  /** Empty for other languages than English and for records. */
  readonly frames: ReadonlyArray<Frame>
  /** Empty for English. */
  readonly sequence: Sequence
  /** The content words of all frames in their places, and where the frames stand as a whole; empty without frames. */
  readonly words: ReadonlyArray<Placed>
  readonly stance: Stance
  readonly worded: Worded
  readonly record: Record | undefined
  /** The text goes on behind what was parsed. */
  readonly long: boolean
  /** Signs that stand alone and are no part of a value, which the words do not show: "the separator is ;". */
  readonly signs: string
}

const signsOf = (form: string): string =>
  /(?:^| )[^\p{L}\p{N} ]/u.test(form)
    ? form.split(" ").filter((token) => !/[\p{L}\p{N}]|^[=:&|%°\p{Sc}]$/u.test(token)).sort().join(" ")
    : ""

const noSequence: Sequence = { parts: [], denials: 0 }
// Claims without frames are not held against each other word by word.
const noWords: Worded = { words: [], adds: false, changes: false, stages: "" }

export const parseClaim = (text: string): Claim => parseAs(text)

/** `language` is given where the claim is read beside another one whose language is surer. */
export const parseAs = (text: string, given?: Language): Claim => {
  const long = text.length > longestParsed
  const form = long ? text : canonical(text)
  const record = recordOf(text)
  const tokens = tokensOf(text)
  // A name is a word of no language.
  const told = tokens.filter(({ first, text }) => first || !/^\p{Lu}/u.test(text))
  const guess = languageOf(text.slice(0, longestParsed), (told.length < 2 ? tokens : told).map(({ low }) => low))
  const language = given ?? guess.language
  const frames = language === "en" && record === undefined ? framesOf(tokens).map(plain) : []
  const begun = text.slice(0, longestParsed + 1)
  return {
    // A long text's form is itself: what a short comparison cannot see must be equal letter by letter.
    canonical: form,
    text: begun,
    language,
    certainty: guess.certainty,
    frames,
    words: wordsOf(frames),
    stance: stanceOf(frames),
    worded: frames.length === 0 ? noWords : wordedOf(begun),
    sequence: language === "en" ? noSequence : sequenceOf(tokens, language, text.slice(0, longestParsed)),
    record,
    long: long || tokens.length >= mostTokens,
    signs: long ? "" : signsOf(form)
  }
}
