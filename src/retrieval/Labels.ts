/**
 * The words of a question that a memory's labels hold: its key, which names what the value speaks of ("person/ana/birthday"
 * over "14 March"), and its entities. Many values do not repeat them, so a word that stands there counts as said. Pure.
 */
import { stems, words } from "../platform/Analyzer.ts"
import type { TermCounts } from "../platform/Bm25.ts"
import type { Head } from "./SearchModel.ts"
import { countsOfWords } from "./SearchTerms.ts"
import type { TermGroup } from "./SearchTerms.ts"

type Labelled = Pick<Head, "memory_key" | "entities">

/** Both as they are written and cut at separators: `rel/v1.9` holds `v1.9`, `node-version` holds `version`. */
const textOf = ({ entities, memory_key }: Labelled): string =>
  [memory_key.replaceAll("/", " "), memory_key.replace(/[/_.:-]+/g, " "), ...entities].join(" ")

/** Whether the labels hold each word group, by its stem or a dictionary form. */
export const labelsHold = (terms: ReadonlyArray<TermGroup>, head: Labelled): ReadonlyArray<boolean> => {
  const text = textOf(head)
  const held = new Set([...words(text), ...stems(text)])
  const counts = terms.map(({ lemmas, stem }) => held.has(stem) || lemmas.some((lemma) => held.has(lemma)) ? 1 : 0)
  return countsOfWords(terms, counts).map((count) => count > 0)
}

/** How often each word group stands in the excerpt, one that only the labels hold counting once. */
export const countsWithLabels = (
  terms: ReadonlyArray<TermGroup>,
  { head, terms: counted }: { readonly head: Labelled; readonly terms: TermCounts | undefined }
): ReadonlyArray<number> => {
  const held = labelsHold(terms, head)
  return terms.map((_, at) => (counted?.counts[at] ?? 0) || (held[at] === true ? 1 : 0))
}
