/**
 * One order of the turns that were found for a question, by what memories are ranked by as far as a turn has it: the words,
 * the cosine, identifiers, names and the time asked for. Beside its place a turn has the relevance that `Relevance` gives a
 * memory: the weights were fitted on turns as well as on facts. Pure; no turn's numbers depend on which others were found.
 */
import type { FoundTurn, FoundTurns } from "../conversation/TurnStore.ts"
import { sha256 } from "../kernel/Json.ts"
import { share } from "../platform/Bm25.ts"
import { identifiersHeld, namesHeld, WEIGHTS } from "./Fusion.ts"
import { nearness, readTime } from "./QuestionTime.ts"
import { relevance } from "./Relevance.ts"
import { countsOfWords } from "./SearchTerms.ts"
import type { TermGroup } from "./SearchTerms.ts"

export interface RankedTurn {
  readonly found: FoundTurn
  /** 0 to 1: the share of what a turn could reach, or 1 when it is the question word for word. */
  readonly score: number
  /** 0 to 1: the chance that it is evidence for the answer. */
  readonly relevance: number
}

/** What a turn reaches that has everything but being the question itself. */
const REACH = WEIGHTS.words + WEIGHTS.vector + WEIGHTS.identifier + WEIGHTS.names + WEIGHTS.time

// Six digits: what a single-precision cosine carries.
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

/** Best first; of equal ones the later said. A turn that holds a part of a word alone, and is not compared, is left out. */
export const rankTurns = (
  text: string,
  terms: ReadonlyArray<TermGroup>,
  { corpus, turns }: FoundTurns
): ReadonlyArray<RankedTurn> => {
  const time = readTime(text)
  const asked = terms.reduce((sum, { rarity }) => sum + rarity, 0)
  const asksByIdentifier = terms.some(({ identifier }) => identifier)
  const exact = sha256(text)
  return turns.flatMap((found): ReadonlyArray<RankedTurn> => {
    const counts = countsOfWords(terms, found.terms.counts)
    if (found.cosine === null && counts.every((count) => count === 0)) return []
    const isExact = found.content_sha256 === exact
    const identifier = identifiersHeld(terms, counts)
    const held = terms.reduce((sum, { rarity }, at) => (counts[at] ?? 0) > 0 ? sum + rarity : sum, 0)
    const sum = WEIGHTS.words * share(corpus, { counts, length: found.terms.length }) +
      WEIGHTS.vector * Math.max(found.cosine ?? 0, 0) + WEIGHTS.identifier * identifier +
      WEIGHTS.names * namesHeld(terms, counts) +
      (time.named.length === 0 ? 0 : WEIGHTS.time * nearness(time, found.said_at))
    return [{
      found,
      score: isExact ? 1 : rounded(Math.min(1, sum / REACH)),
      relevance: relevance({
        words: asked > 0 ? held / asked : null,
        closeness: found.cosine,
        size: terms.length,
        identifier,
        lacking: asked > 0 && asksByIdentifier ? 1 - identifier : 0,
        named: false,
        exact: isExact
      })
    }]
  }).sort((left, right) =>
    right.score - left.score || right.found.said_at - left.found.said_at ||
    (left.found.turn_id < right.found.turn_id ? -1 : 1)
  )
}
