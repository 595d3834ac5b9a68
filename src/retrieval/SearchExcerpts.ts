/** The hits' excerpts: of each memory the part of its text, or of its best passage, that speaks to the question. */
import * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { weight } from "./Bm25.ts"
import { bestPart } from "./Excerpt.ts"
import type { Ranked } from "./Fusion.ts"
import type { PlaceMap, SearchIndex } from "./SearchIndex.ts"
import { placeKey } from "./SearchModel.ts"
import type { Corpus } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

export interface ExcerptRequest {
  readonly scope: Scope
  readonly terms: ReadonlyArray<TermGroup>
  /** Null when the lexical leg did not answer: all words then weigh the same. */
  readonly corpus: Corpus | null
  /** Longest excerpt, in UTF-16 units. */
  readonly length: number
  /** The texts of values, by `placeKey`. */
  readonly texts: PlaceMap<string>
}

/** One excerpt for each hit, in their order; the empty text for one that is gone. */
export const excerptsOf = (
  index: Pick<SearchIndex["Type"], "passages">,
  { corpus, length, scope, terms, texts }: ExcerptRequest,
  hits: ReadonlyArray<Ranked>
): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  Effect.map(
    index.passages(
      scope,
      hits.flatMap(({ candidate, passage }) => passage === null ? [] : [{ place: candidate.head, passage }])
    ),
    (passages) => {
      const weights = terms.map((_, at) => corpus === null ? 1 : weight(corpus.rows, corpus.holding[at] ?? 0))
      return hits.map(({ candidate, passage }) => {
        const key = placeKey(candidate.head)
        const text = (passage === null ? undefined : passages.get(key)) ?? texts.get(key) ?? ""
        return bestPart(text, terms, weights, length)
      })
    }
  )
