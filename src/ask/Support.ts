/**
 * Whether a sentence that a model wrote is borne by the memories it cites: every number and every name stands in them,
 * nearly all of its words do, and it denies nothing they do not deny. What only the question says bears no name or number.
 * Strict on purpose: a sentence that is dropped is made good by a quote, one that is wrong by nothing.
 */
import type { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { denial, formsIn, holds, linking, namesIn, numbersIn } from "../platform/StatedThings.ts"
import { isInstruction } from "./Instructions.ts"
import { spansOf } from "./Sentences.ts"

/** What a sentence may rest on: the text that was shown, and what is told of it (who, when, the names of its things). */
export interface Bearer {
  readonly text: string
  readonly facts: string
}

// A paraphrase has some words of its own; a fourth is about one in a short sentence.
const MOST_FOREIGN = 0.25

/** Whether the sentence, without its citations, is borne by what it cites. */
export const isBorne = (
  sentence: string,
  bearers: ReadonlyArray<Bearer>,
  question: string,
  claims: Pick<ClaimCache, "compare">
): boolean => {
  const told = bearers.flatMap(({ text }) =>
    spansOf(text).map(({ end, start }) => text.slice(start, end)).filter((one) => !isInstruction(one))
  )
  if (told.length === 0 || isInstruction(sentence)) return false
  const evidence = [...told, ...bearers.map(({ facts }) => facts)].join("\n")
  const numbers = numbersIn(evidence)
  if (![...numbersIn(sentence)].every((number) => numbers.has(number))) return false
  const forms = formsIn(evidence)
  if (!namesIn(sentence).every((name) => words(name).every((word) => holds(forms, word)))) return false
  const content = [...new Set(words(sentence))].filter((word) => !stopWords.has(word) && !linking.has(word))
  const ours = content.filter((word) => holds(forms, word))
  if (ours.length === 0) return false
  const asked = formsIn(question)
  const foreign = content.filter((word) => !holds(forms, word) && !holds(asked, word))
  if (foreign.length > content.length * MOST_FOREIGN) return false
  if (denial.test(sentence) && !told.some((one) => denial.test(one))) return false
  const relations = told.map((one) => claims.compare(one, sentence, 0).relation)
  return !relations.includes("differs") || relations.includes("same")
}
