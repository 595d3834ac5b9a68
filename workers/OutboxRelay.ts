/**
 * Copies to ClickHouse what an owner committed in Postgres and did not copy itself: its process was killed, or ClickHouse was
 * away. It leaves fresh commits to their owners. Any number of relays may run, since a copy is made behind the lock of its
 * rows, in order within a namespace, and is there once however often it is made. Nothing but an interruption ends it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type { StoreError } from "../src/kernel/LoomError.ts"
import { Outbox } from "../src/memory/Outbox.ts"

// An owner that lives copies a commit within milliseconds, and a slow one is not to be raced.
const LEFT_BEHIND = Duration.seconds(5)

// A look costs one statement on a table that is most often empty.
const PAUSE = Duration.seconds(1)

// As many inserts as two cores serve beside the owners'.
const NAMESPACES_AT_ONCE = 2

// Soon after a first failure, and seldom while ClickHouse is away for long.
const again = Schedule.exponential("1 second").pipe(Schedule.union(Schedule.spaced("15 seconds")), Schedule.jittered)

const relayed = Metric.counter("loom_outbox_relayed_total", {
  description: "Commits that were copied to ClickHouse by the relay",
  incremental: true
})

const failures = Metric.counter("loom_outbox_relay_failures_total", {
  description: "Tries of the relay that failed",
  incremental: true
})

/**
 * Copies what is left behind, of each namespace in order; answers how many commits that were. One namespace that fails
 * holds up no other, and its error comes when all are done.
 */
export const sweep: Effect.Effect<number, StoreError, Outbox> = Effect.gen(function*() {
  const outbox = yield* Outbox
  const backlogs = yield* outbox.waiting(LEFT_BEHIND)
  const [failed, copied] = yield* Effect.partition(
    backlogs,
    ({ scope }) => Effect.tap(outbox.drain(scope), (commits) => Metric.incrementBy(relayed, commits)),
    { concurrency: NAMESPACES_AT_ONCE }
  )
  const [error] = failed
  return error === undefined ? copied.reduce((sum, commits) => sum + commits, 0) : yield* error
}).pipe(Effect.withSpan("OutboxRelay.sweep"))

/** Looks and copies for as long as the layer lives. */
export const layer: Layer.Layer<never, never, Outbox> = Layer.scopedDiscard(
  sweep.pipe(
    Effect.tap((commits) =>
      commits === 0
        ? Effect.void
        : Effect.logInfo("Copied what was left behind to ClickHouse").pipe(Effect.annotateLogs({ commits }))
    ),
    Effect.tapErrorCause((cause) =>
      Effect.zipRight(Metric.increment(failures), Effect.logWarning("The relay could not copy", cause))
    ),
    Effect.sandbox,
    Effect.retry(again),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(PAUSE)),
    Effect.annotateLogs({ worker: "outbox_relay" }),
    Effect.forkScoped
  )
)
