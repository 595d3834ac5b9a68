/** The handler of namespace.review: every source that is open to the caller is looked at, side by side. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { ageOf, ReviewSources } from "./ReviewQueueModel.ts"
import { NamespaceReview } from "./ReviewQueueVerbs.ts"

const DEFAULT_ITEMS = 10

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, ReviewSources> = Effect.map(
  ReviewSources,
  (sources) => [
    bind(NamespaceReview, (request, caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const now = yield* Clock.currentTimeMillis
        const limit = request.limit ?? DEFAULT_ITEMS
        const meant = sources.filter((source) =>
          (request.kind === undefined || source.kind === request.kind) && source.isOpen(caller)
        )
        const kinds = yield* Effect.forEach(
          meant,
          ({ kind, look, next, what }) =>
            Effect.map(look({ scope, caller, now, limit }), ({ count, items, oldest }) => {
              const age = oldest === null ? null : ageOf(oldest, now)
              return {
                kind,
                what,
                count,
                oldest_at: age?.since ?? null,
                oldest_age_seconds: age?.age_seconds ?? null,
                next,
                items: items.slice(0, limit)
              }
            }),
          { concurrency: "unbounded" }
        )
        return {
          namespace: scope.namespace,
          total: kinds.reduce((sum, { count }) => sum + count, 0),
          kinds,
          degraded: []
        }
      }))
  ]
)
