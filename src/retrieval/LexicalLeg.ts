/** Memories that hold the question's words: BM25 over the excerpts of values. */
import * as Effect from "effect/Effect"
import { share } from "../platform/Bm25.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { type Leg, nothing } from "./SearchLeg.ts"

export const make: Effect.Effect<Leg, never, SearchIndex> = Effect.map(SearchIndex, (index) => ({
  name: "lexical",
  find: Effect.fn("LexicalLeg.find")(function*({ depth, filter, scope, terms }) {
    if (terms.length === 0) return nothing
    const { corpus, hits, passed, read } = yield* index.lexical(scope, filter, terms, depth)
    return {
      hits: hits.map(({ head, terms }) => ({ head, score: share(corpus, terms), terms })),
      query: null,
      corpus,
      passed,
      read
    }
  })
}))
