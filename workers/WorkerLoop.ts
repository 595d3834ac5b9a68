/**
 * What keeps a worker alive: it takes the ownership, says that it lives, works until something breaks, says so, waits and
 * begins again, for ever. Nothing but an interruption ends it.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { LoomError, StoreError } from "../src/kernel/LoomError.ts"
import { toWire } from "../src/kernel/LoomError.ts"
import type { Fence } from "../src/memory/Fence.ts"
import type { WorkerStatus } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import { take } from "./WorkerLease.ts"
import type { Lease, LeaseLost } from "./WorkerLease.ts"
import * as WorkerMetrics from "./WorkerMetrics.ts"

/** What ends an attempt; a worker that is taken over stops as well. */
export type Broken = StoreError | LeaseLost

// A supervisor's look every half a minute sees a fresh sign of life.
const BEAT = "15 seconds"

// Soon after a first failure, seldom while it lasts; an hour of quiet makes the next one a first again.
const again = Schedule.exponential("1 second").pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered,
  Schedule.resetAfter("1 hour")
)

// Longer than a cluster takes to put away a worker that moved: it is not taken back from its rightful owner.
const AFTER_LOSS = "10 seconds"

/** The code of a failure as `ops.workers` tells it: never a value or a cause. */
export const codeOf = (cause: Cause.Cause<LoomError | LeaseLost>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => Cause.isInterruptedOnly(cause) ? "INTERRUPTED" : "DEFECT",
    onSome: (error) => error._tag === "LeaseLost" ? "LEASE_LOST" : toWire(error).body.detail.code
  })

/** Runs attempts one after another; each has its ownership. */
export const supervised = <R>(
  worker: string,
  attempt: (lease: Lease) => Effect.Effect<never, Broken, R>
): Effect.Effect<never, never, R | WorkerStore | Fence> =>
  Effect.gen(function*() {
    const store = yield* WorkerStore
    const say = (state: WorkerStatus["state"], code: string, epoch: bigint) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.ignore(store.report({ worker, state, code, epoch, at })))

    const once = Effect.gen(function*() {
      const lease = yield* take(worker)
      const beating = Effect.forever(Effect.zipRight(say("running", "", lease.epoch), Effect.sleep(BEAT)))
      return yield* Effect.raceFirst(attempt(lease), beating)
    })

    return yield* once.pipe(
      Effect.sandbox,
      Effect.tapError((cause) => {
        const code = codeOf(cause)
        return Effect.logWarning("A worker starts again", cause).pipe(
          Effect.annotateLogs({ worker, code }),
          Effect.zipRight(WorkerMetrics.note(WorkerMetrics.restarts, worker, 1)),
          // One that was taken over has nothing to say of the worker any more.
          Effect.zipRight(code === "LEASE_LOST" ? Effect.sleep(AFTER_LOSS) : say("failed", code, 0n))
        )
      }),
      Effect.retry(again),
      // The schedule has no end.
      Effect.catchAll((cause) => Effect.dieMessage(`A worker ended: ${codeOf(cause)}`))
    )
  }).pipe(Effect.annotateLogs({ worker }))
