/**
 * The runs of a worker that reads no feed: when its time has come, or when it says that there is something to do. The time
 * of the last run is kept as a cursor, so that a restart or another owner does not run it again.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import { Unavailable } from "../src/kernel/LoomError.ts"
import { isPaused, NO_FEED } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import type { Paced, ScheduledWorker } from "./WorkerJob.ts"
import type { Lease } from "./WorkerLease.ts"
import { codeOf } from "./WorkerLoop.ts"
import type { Broken } from "./WorkerLoop.ts"
import * as WorkerMetrics from "./WorkerMetrics.ts"

export const runs = <R>(
  worker: Paced<ScheduledWorker<R>>,
  lease: Lease
): Effect.Effect<never, Broken, R | WorkerStore> =>
  Effect.gen(function*() {
    const { every, isDue = Effect.succeed(false), name, pace, run } = worker
    const store = yield* WorkerStore
    const [kept] = yield* store.cursors(name, "everything")
    let position = kept?.position ?? 0n
    let failures = 0

    const keep = (at: number, code: string) =>
      lease.guarded(store.move(name, lease.epoch, [{ scope: NO_FEED, position, failures, code, at }]))

    const attempt = Effect.gen(function*() {
      const exit = yield* run.pipe(
        Effect.timeoutFail({ duration: pace.limit, onTimeout: () => new Unavailable({ operation: `Worker.${name}` }) }),
        Effect.withSpan(`Worker.${name}`),
        Effect.exit
      )
      const now = yield* Clock.currentTimeMillis
      if (Exit.isFailure(exit)) {
        failures += 1
        const code = codeOf(exit.cause)
        yield* Effect.logWarning("A worker's run failed", exit.cause).pipe(Effect.annotateLogs({ worker: name, code }))
        yield* WorkerMetrics.note(WorkerMetrics.failures, name, 1)
        return yield* keep(now, code)
      }
      yield* faultPoint("worker.after_handle")
      failures = 0
      position = BigInt(Math.floor(now)) * 1_000_000n
      yield* keep(now, "")
    })

    const look = Effect.gen(function*() {
      if (isPaused(yield* store.pauses(name), NO_FEED)) return
      const now = yield* Clock.currentTimeMillis
      const next = Number(position / 1_000_000n) + Duration.toMillis(every)
      // Whether it is due is its own to say; when it cannot, the time decides.
      if (position === 0n || now >= next || (yield* Effect.orElseSucceed(isDue, () => false))) yield* attempt
    })

    return yield* Effect.forever(Effect.zipRight(look, Effect.sleep(pace.idle)))
  })
