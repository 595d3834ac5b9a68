/** Long memories a passage of which holds the question's words: BM25 over passages, the best one of each memory. */
import * as Effect from "effect/Effect"
import { share } from "../platform/Bm25.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { type Leg, nothing } from "./SearchLeg.ts"

export const make: Effect.Effect<Leg, never, SearchIndex> = Effect.map(SearchIndex, (index) => ({
  name: "chunks",
  find: Effect.fn("ChunkLeg.find")(function*({ depth, filter, scope, terms }) {
    if (terms.length === 0) return nothing
    const { corpus, hits, passed } = yield* index.chunks(scope, filter, terms, depth)
    return {
      hits: hits.map(({ head, passage, terms }) => ({ head, score: share(corpus, terms), terms, passage })),
      query: null,
      // The passages' corpus says nothing of the excerpts that other legs find.
      corpus: null,
      passed
    }
  })
}))
