/**
 * Memories that a digest speaks of which is close to the question, in whatever words they themselves are. A namespace
 * without digests costs a look now and then and no vector. Digests tell of now: another time is not asked of them.
 */
import * as Effect from "effect/Effect"
import { Embedder } from "../platform/Embedder.ts"
import { DigestIndex } from "./DigestIndex.ts"
import { hitsOf } from "./DigestShare.ts"
import { type Leg, nothing } from "./SearchLeg.ts"

// The best digest and those about as close; the sixth is mostly about something else.
const DIGESTS = 5
// What other legs find has the better claim to the places of an answer, which are ten by default.
export const DIGEST_HITS = 10

export const make: Effect.Effect<Leg, never, DigestIndex | Embedder> = Effect.gen(function*() {
  const index = yield* DigestIndex
  const embedder = yield* Embedder
  return {
    name: "digests",
    find: Effect.fn("DigestLeg.find")(function*({ filter, scope, terms, text }) {
      if (filter.asOf !== undefined || !(yield* index.any(scope))) return nothing
      const query = { embedderId: embedder.id, vector: yield* embedder.embedQuery(text) }
      const digests = yield* index.nearest(scope, filter, query, terms, DIGESTS)
      if (digests.length === 0) return nothing
      const hits = hitsOf(digests, yield* index.members(scope, filter, digests), DIGEST_HITS)
      return {
        hits: hits.map(({ digest_id, head, share }) => ({ head, score: share, digest: digest_id })),
        query: null,
        corpus: null
      }
    })
  }
})
