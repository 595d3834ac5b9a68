/** Memories close to the question in meaning: its vector against those of values and, damped, of keys. */
import * as Effect from "effect/Effect"
import { Embedder } from "../platform/Embedder.ts"
import { closeness, SearchIndex } from "./SearchIndex.ts"
import { type Leg, nothing } from "./SearchLeg.ts"

export const make: Effect.Effect<Leg, never, SearchIndex | Embedder> = Effect.gen(function*() {
  const index = yield* SearchIndex
  const embedder = yield* Embedder
  return {
    name: "vector",
    find: Effect.fn("VectorLeg.find")(function*({ depth, filter, scope, terms, text }) {
      const vector = yield* embedder.embedQuery(text)
      if (vector.every((number) => number === 0)) return nothing
      const query = { embedderId: embedder.id, vector }
      const { hits, passed, read } = yield* index.vector(scope, filter, query, terms, depth)
      return {
        hits: hits.map(({ cosines, head }) => ({ head, score: closeness(cosines), cosines })),
        query,
        corpus: null,
        passed,
        read
      }
    })
  }
})
