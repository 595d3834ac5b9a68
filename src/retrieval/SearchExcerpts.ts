/** The hits' excerpts: of each memory the parts of its text that speak to the question, passages of long values included. */
import * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { excerptOf } from "./Excerpt.ts"
import type { Excerpt } from "./Excerpt.ts"
import { joined } from "./ExcerptPieces.ts"
import type { Ranked } from "./Fusion.ts"
import type { PlaceMap, SearchIndex } from "./SearchIndex.ts"
import { placeKey } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

export interface ExcerptRequest {
  readonly scope: Scope
  readonly terms: ReadonlyArray<TermGroup>
  /** Longest excerpt, in UTF-16 units. */
  readonly length: number
  /** The texts of values, by `placeKey`. */
  readonly texts: PlaceMap<string>
}

/** One excerpt for each hit, in their order; the empty one for a hit that is gone. */
export const excerptsOf = (
  index: Pick<SearchIndex["Type"], "passages">,
  { length, scope, terms, texts }: ExcerptRequest,
  hits: ReadonlyArray<Ranked>
): Effect.Effect<ReadonlyArray<Excerpt>, StoreError> =>
  Effect.map(
    // Only values one of whose passages was found: a value without passages is whole in its excerpt.
    index.passages(
      scope,
      hits.flatMap(({ candidate }) => candidate.passage === undefined ? [] : [candidate.head]),
      terms
    ),
    (passages) =>
      hits.map(({ candidate }) => {
        const key = placeKey(candidate.head)
        const text = texts.get(key)
        const head = text === undefined ? [] : [{ start: 0, text }]
        return excerptOf(joined([...passages.get(key) ?? [], ...head]), terms, length)
      })
  )
