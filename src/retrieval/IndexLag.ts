/**
 * How many memories a search cannot find by meaning yet, because they have no vector of the embedder in use: it was changed,
 * or a crash lost what was derived, and the server is still embedding what is missing. A write without a vector fails, so
 * none comes to be while a process runs: a count of none is kept for long, another is counted again soon.
 */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"

export class IndexLag extends Context.Tag("loom/retrieval/IndexLag")<IndexLag, {
  /** Of the served memories of the scope, and of one user unless null; null when it could not be counted in time. */
  readonly pending: (scope: Scope, user_id: string | null) => Effect.Effect<number | null>
}>() {}

/** Counts in the store. */
export type CountPending = (scope: Scope, user_id: string | null) => Effect.Effect<number, StoreError>

const KEPT = 4_096
const NONE_AGE = "10 minutes"
const SOME_AGE = "5 seconds"
// As long as the slowest keyed leg may take: on most searches the count is known. It goes on, and the next search has it.
const COUNT_WITHIN = "2 seconds"

export const make = (count: CountPending): Effect.Effect<IndexLag["Type"]> =>
  Effect.map(
    Cache.makeWith({
      capacity: KEPT,
      lookup: ({ namespace, org, user_id }: Scope & { readonly user_id: string | null }) =>
        count({ org, namespace }, user_id),
      timeToLive: (counted) => Exit.isSuccess(counted) && counted.value === 0 ? NONE_AGE : SOME_AGE
    }),
    (counts) => ({
      pending: Effect.fn("IndexLag.pending")(function*({ namespace, org }, user_id) {
        const counting = yield* Effect.forkDaemon(counts.get(Data.struct({ org, namespace, user_id })))
        return yield* Fiber.join(counting).pipe(
          Effect.timeoutOption(COUNT_WITHIN),
          Effect.map(Option.getOrNull),
          Effect.catchAll((error) =>
            Effect.as(
              Effect.logWarning("What is not indexed yet could not be counted").pipe(
                Effect.annotateLogs({ reason: error.message })
              ),
              null
            )
          )
        )
      })
    })
  )

/** For programs that embed nothing: nothing is missing. */
export const layerNone: Layer.Layer<IndexLag> = Layer.succeed(IndexLag, { pending: () => Effect.succeed(0) })
