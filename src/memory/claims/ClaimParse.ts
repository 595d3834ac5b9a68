/**
 * One claim, read once and kept: its canonical form, language, frames (English) or sequence of content words (others),
 * values and denials. Texts beyond the parsed prefix carry a digest of all their words, so that two long texts are the
 * same only when every word is.
 */
import { canonical } from "../../platform/Analyzer.ts"
import { framesOf } from "./ClaimClauses.ts"
import type { Frame } from "./ClaimFrame.ts"
import { type Language, languageOf } from "./ClaimLanguage.ts"
import { type Record, recordOf } from "./ClaimRecord.ts"
import { type Sequence, sequenceOf } from "./ClaimSequence.ts"
import { longestParsed, tokensOf } from "./ClaimTokens.ts"

export interface Claim {
  readonly canonical: string
  readonly language: Language
  /** Empty for other languages than English and for records. */
  readonly frames: ReadonlyArray<Frame>
  readonly sequence: Sequence
  readonly record: Record | undefined
  /** The text goes on behind what was parsed. */
  readonly long: boolean
}

export const parseClaim = (text: string): Claim => {
  const long = text.length > longestParsed
  const record = recordOf(text)
  const tokens = tokensOf(text)
  const language = languageOf(text.slice(0, longestParsed), tokens.map(({ low }) => low))
  return {
    // A long text's form is itself: what a short comparison cannot see must be equal letter by letter.
    canonical: long ? text : canonical(text),
    language,
    frames: language === "en" && record === undefined ? framesOf(tokens) : [],
    sequence: sequenceOf(tokens, language, text.slice(0, longestParsed)),
    record,
    long
  }
}
