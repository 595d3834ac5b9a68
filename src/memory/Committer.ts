/**
 * One committer per process: it merges the batches of all its actors into one insert per table. While a commit is under
 * way further batches gather, so commits grow with load and a lone write never waits. Nobody hears of success before
 * the commit; after a failed or unknown insert the committer settles each namespace on its own: it looks whether the
 * rows are there, and if not commits that namespace alone once more.
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { Scope } from "../kernel/Identity.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { fitting, mergeCommits } from "./CommitMerge.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"

/** `clean`: all inserts answered. `torn`: the rows are in, but a mirror may lack them; repair before the next batch. */
export type Outcome = "clean" | "torn"

export class Committer extends Context.Tag("loom/memory/Committer")<Committer, {
  /** Commits one namespace's batch. `Unavailable` when it is not in the store, or nobody can tell. */
  readonly commit: (scope: Scope, batch: Commit) => Effect.Effect<Outcome, Unavailable>
}>() {}

interface Pending {
  readonly scope: Scope
  readonly batch: Commit
  readonly done: Deferred.Deferred<Outcome, Unavailable>
}

export const layer: Layer.Layer<Committer, never, MemoryStore> = Layer.scoped(
  Committer,
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const queue = yield* Queue.unbounded<Pending>()

    const settleOne = (one: Pending): Effect.Effect<Outcome, Unavailable> => {
      const versions = one.batch.rows.map((row) => row.version)
      const isThere = versions.length === 0
        ? Effect.succeed(false)
        : store.committed(one.scope, versions).pipe(
          Effect.mapError(() => new Unavailable({ operation: "Committer.settle" }))
        )
      return Effect.flatMap(isThere, (there) =>
        there
          ? Effect.succeed<Outcome>("torn")
          : store.commit(one.batch).pipe(
            Effect.as<Outcome>("clean"),
            Effect.catchAll((error) =>
              Effect.flatMap(isThere, (now) => now ? Effect.succeed<Outcome>("torn") : Effect.fail(error))
            )
          ))
    }

    const flush = (group: ReadonlyArray<Pending>): Effect.Effect<void> =>
      store.commit(mergeCommits(group.map((one) => one.batch))).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.forEach(group, (one) => Deferred.succeed(one.done, "clean"), { discard: true }),
          onFailure: (error) =>
            Effect.logWarning("A merged commit failed; settling namespace by namespace").pipe(
              Effect.annotateLogs({ operation: error.operation, namespaces: group.length }),
              Effect.zipRight(
                Effect.forEach(group, (one) => Deferred.complete(one.done, settleOne(one)), { discard: true })
              )
            )
        }),
        // A defect must not leave a writer waiting for ever.
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logError("A merged commit met a defect", cause),
            Effect.forEach(
              group,
              (one) => Deferred.fail(one.done, new Unavailable({ operation: "Committer.commit" })),
              { discard: true }
            )
          )
        )
      )

    const loop = Effect.gen(function*() {
      let waiting = Chunk.toReadonlyArray(yield* Queue.takeBetween(queue, 1, Number.MAX_SAFE_INTEGER))
      while (waiting.length > 0) {
        const count = fitting(waiting.map(({ batch }) => batch))
        yield* flush(waiting.slice(0, count))
        waiting = waiting.slice(count)
      }
    })
    yield* loop.pipe(Effect.forever, Effect.forkScoped)

    return {
      commit: Effect.fn("Committer.commit")(function*(scope, batch) {
        const done = yield* Deferred.make<Outcome, Unavailable>()
        yield* Queue.offer(queue, { scope, batch, done })
        return yield* Deferred.await(done)
      })
    }
  })
)
