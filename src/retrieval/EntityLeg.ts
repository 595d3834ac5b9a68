/**
 * Memories that name what the question names, in whatever words, or that name what stands beside it. The names are
 * looked up by key; where the namespace has no entities, or the question names none of them, nothing more is read.
 */
import * as Effect from "effect/Effect"
import { COUNTED_ROWS, share, step, WALK_FROM, weights, worth } from "./EntityGraph.ts"
import { mentions, named } from "./EntityQuestion.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { type Leg, nothing } from "./SearchLeg.ts"
import type { EntityWeights } from "./SearchModel.ts"

export const make: Effect.Effect<Leg, never, SearchIndex> = Effect.map(SearchIndex, (index) => ({
  name: "entities",
  find: Effect.fn("EntityLeg.find")(function*({ depth, filter, scope, text }) {
    const asked = mentions(text)
    const known = yield* index.knownEntities(scope, filter, [...new Set(asked.map(({ entity }) => entity))])
    if (known.length === 0) return nothing
    const [naming, rows] = yield* Effect.all([
      index.entityRows(scope, filter, known),
      index.servedRows(scope, filter, COUNTED_ROWS)
    ], { concurrency: 2 })
    const direct: EntityWeights = {
      named: weights(named(asked, (entity) => naming.has(entity)), naming, rows),
      beside: new Map()
    }
    if (direct.named.size === 0) return nothing
    const seeds = yield* index.naming(scope, filter, direct, Math.max(depth, WALK_FROM))
    const reach = step(direct, seeds)
    const near = yield* index.knownEntities(scope, filter, [...reach.keys()])
    const besideRows = yield* index.entityRows(scope, filter, near)
    const walked: EntityWeights = { ...direct, beside: worth(reach, weights(near, besideRows, rows)) }
    const heads = walked.beside.size === 0 ? seeds : yield* index.naming(scope, filter, walked, depth)
    return {
      hits: heads.slice(0, depth).map((head) => ({ head, score: share(walked, head.entities) })),
      query: null,
      corpus: null,
      entities: walked
    }
  })
}))
