/**
 * Drains the queue of extractions: many sessions side by side, in bounds. A job is claimed under the owner's epoch, carried
 * out, and marked with what became of it; a crash in between has it carried out again, which changes nothing twice
 * (`Extraction`). A model that does not answer leaves jobs waiting for as long as it takes; a transcript that fails for its
 * own sake becomes a dead letter that a person sees and may try again. It writes memory through the actors alone.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { Extraction } from "../src/extraction/Extraction.ts"
import { isFinished, signOf } from "../src/extraction/ExtractionJobModel.ts"
import type { ExtractionJob, JobSign } from "../src/extraction/ExtractionJobModel.ts"
import { begun, done, failed, passes } from "../src/extraction/ExtractionJobPolicy.ts"
import type { Failure } from "../src/extraction/ExtractionJobPolicy.ts"
import { ExtractionJobStore } from "../src/extraction/ExtractionJobStore.ts"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import { Unavailable } from "../src/kernel/LoomError.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import { isPaused } from "../src/work/WorkerModel.ts"
import type { Pause } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import * as ExtractionJournal from "./ExtractionJournal.ts"
import { ExtractionLine } from "./ExtractionLine.ts"
import * as Worker from "./Worker.ts"
import type { Lease } from "./WorkerLease.ts"
import type { Broken } from "./WorkerLoop.ts"
import * as WorkerMetrics from "./WorkerMetrics.ts"

export const NAME = "extraction_queue"

export interface QueuePace {
  /** How long it waits before it looks again when nothing ends in between. */
  readonly idle: Duration.DurationInput
  /** How long one job may take; beyond it counts as a model that does not answer. */
  readonly limit: Duration.DurationInput
  readonly atOnce: number
  readonly ofNamespace: number
}

const defaultPace: QueuePace = {
  // A look costs one short query; a deferred transcript may be a second late.
  idle: "1 second",
  // A long transcript is some twenty calls of a model.
  limit: "15 minutes",
  // A model's server works on some calls at once, and most of a job's time is waiting for it.
  atOnce: 16,
  ofNamespace: 8
}

// Pauses are heeded within this time.
const ORDERS_MILLIS = 3_000
// Versions are times of writing: a writer's clock may be behind, and every so often everything is looked at.
const SLACK_NANOS = 10n * 60n * 1_000_000_000n
const WHOLE_LOOK_MILLIS = 10 * 60_000
// A sign takes some 300 bytes; those that do not fit come as soon as others are finished.
const MOST_SIGNS = 50_000

const failureOf = (cause: Cause.Cause<LoomError>): Failure =>
  Option.getOrElse(Cause.failureOption(cause), (): Failure => "DEFECT")

const drain = (
  lease: Lease,
  pace: QueuePace
): Effect.Effect<never, Broken, ExtractionJobStore | Extraction | WorkerStore> =>
  Effect.scoped(Effect.gen(function*() {
    const jobs = yield* ExtractionJobStore
    const extraction = yield* Extraction
    const workers = yield* WorkerStore
    const journal = yield* ExtractionJournal.make(lease)
    const broken = yield* Deferred.make<never, Broken>()
    const ended = yield* Queue.sliding<void>(1)
    const line = new ExtractionLine(pace)
    let since = 0n
    let wholeAt = Number.NEGATIVE_INFINITY
    let ordersAt = Number.NEGATIVE_INFINITY
    let pauses: ReadonlyArray<Pause> = []

    const writing = Effect.map(Clock.currentTimeMillis, (now) => ({ now, epoch: lease.epoch }))

    /** One job, from its claim to what became of it; undefined when there is nothing to do with it any more. */
    const work = ({ job_id, scope }: JobSign): Effect.Effect<ExtractionJob | undefined, Broken> =>
      Effect.gen(function*() {
        const job = Option.getOrUndefined(yield* journal.read({ scope, job_id }))
        if (job === undefined || isFinished(job)) return job
        const claimed = begun(job, yield* writing, null)
        yield* journal.write(claimed)
        yield* faultPoint("extraction.after_claim")
        const exit = yield* extraction.run(claimed, "worker").pipe(
          Effect.timeoutFail({
            duration: pace.limit,
            onTimeout: () => new Unavailable({ operation: `Worker.${NAME}` })
          }),
          Effect.withSpan(`Worker.${NAME}`),
          Effect.exit
        )
        yield* faultPoint("extraction.before_done")
        // Somebody may have let it go meanwhile.
        const now = Option.getOrUndefined(yield* journal.read({ scope, job_id }))
        if (now?.state === "dropped") return now
        const after = yield* writing
        const { model } = extraction.asks(claimed)
        if (Exit.isSuccess(exit)) {
          if (model) line.modelAnswered()
          yield* WorkerMetrics.note(WorkerMetrics.handled, NAME, 1)
        } else {
          const failure = failureOf(exit.cause)
          if (model && passes(failure)) line.modelFailed(after.now)
          yield* WorkerMetrics.note(WorkerMetrics.failures, NAME, 1)
        }
        const next = Exit.isSuccess(exit)
          ? done(claimed, after, exit.value)
          : failed(claimed, after, failureOf(exit.cause))
        if (Exit.isFailure(exit)) {
          yield* Effect.logWarning("An extraction failed", exit.cause).pipe(
            Effect.annotateLogs({ code: next.code, state: next.state, tries: next.tries })
          )
          if (next.state === "failed") yield* WorkerMetrics.note(WorkerMetrics.buried, NAME, 1)
        }
        yield* journal.write(next)
        yield* faultPoint("extraction.after_done")
        return next
      })

    const begin = (sign: JobSign) =>
      work(sign).pipe(
        Effect.flatMap((next) =>
          Effect.sync(() => {
            line.end(
              sign,
              next === undefined ? { ...sign, state: "dropped" } : signOf(next),
              extraction.asks(sign).model
            )
          })
        ),
        Effect.zipRight(Queue.offer(ended, undefined)),
        Effect.catchAllCause((cause) => Deferred.failCause(broken, cause)),
        Effect.forkScoped
      )

    const look = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (now - ordersAt >= ORDERS_MILLIS) {
        ordersAt = now
        pauses = yield* workers.pauses(NAME)
        yield* WorkerMetrics.note(WorkerMetrics.lagVersions, NAME, line.size)
        yield* WorkerMetrics.note(WorkerMetrics.lagSeconds, NAME, Math.max(0, now - (line.oldest ?? now)) / 1000)
      }
      if (now - wholeAt >= WHOLE_LOOK_MILLIS) {
        wholeAt = now
        since = 0n
      }
      line.note(yield* jobs.touched(since, MOST_SIGNS))
      const seen = BigInt(Math.floor(now)) * 1_000_000n - SLACK_NANOS
      since = seen > 0n ? seen : 1n
    })

    const give = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const taken = line.take({ now, isPaused: (scope) => isPaused(pauses, scope), asks: extraction.asks })
      yield* Effect.forEach(taken, begin, { discard: true })
    })

    /** Looks into the store every so often, and gives out what is next whenever a job ends. */
    const round = Effect.gen(function*() {
      yield* look
      const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(pace.idle)
      for (;;) {
        yield* give
        const left = until - (yield* Clock.currentTimeMillis)
        if (left <= 0) return
        if (Option.isNone(yield* Effect.timeoutOption(Queue.take(ended), left))) return
      }
    })

    return yield* Effect.raceFirst(Effect.forever(round), Deferred.await(broken))
  }))

/** The worker: one for an installation. */
export const make = (pace: Partial<QueuePace> = {}) =>
  Worker.makeOwn({ name: NAME, life: (lease) => drain(lease, { ...defaultPace, ...pace }) })
