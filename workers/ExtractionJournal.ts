/**
 * What the owner of the queue writes of jobs: whatever waits goes into the store as one block, asked of the fence around it
 * (`WorkerLease`), so that an owner that was taken over writes nothing more. A writer goes on when its word is kept.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import type { ExtractionJob } from "../src/extraction/ExtractionJobModel.ts"
import { ExtractionJobStore } from "../src/extraction/ExtractionJobStore.ts"
import type { Lease } from "./WorkerLease.ts"
import type { Broken } from "./WorkerLoop.ts"

// Of a kilobyte or two each.
const MOST_AT_ONCE = 256

export interface Journal {
  readonly write: (job: ExtractionJob) => Effect.Effect<void, Broken>
}

export const make = (lease: Lease): Effect.Effect<Journal, never, ExtractionJobStore | Scope> =>
  Effect.gen(function*() {
    const { put } = yield* ExtractionJobStore
    const queue = yield* Queue.unbounded<readonly [ExtractionJob, Deferred.Deferred<void, Broken>]>()
    const flush = Effect.gen(function*() {
      const first = yield* Queue.take(queue)
      const rest = yield* Queue.takeUpTo(queue, MOST_AT_ONCE - 1)
      const waiting = [first, ...rest]
      const exit = yield* Effect.exit(lease.guarded(put(waiting.map(([job]) => job))))
      yield* Effect.forEach(waiting, ([, kept]) => Deferred.done(kept, exit), { discard: true })
    })
    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(flush)))
    return {
      write: (job) =>
        Effect.gen(function*() {
          const kept = yield* Deferred.make<void, Broken>()
          yield* Queue.offer(queue, [job, kept])
          yield* Deferred.await(kept)
        })
    }
  })
