/**
 * Removes what nobody needs any more, so that the stores do not grow with every call for ever: each kind of row has its own
 * keep (`Prunables`). In bounded batches, oldest first, with rests between; it works without a model, and two of them at once
 * do no harm. Cut short anywhere, what is left goes with the next run.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import type { StoreError } from "../src/kernel/LoomError.ts"
import { Prunables, PruneLog } from "../src/work/PruneModel.ts"
import type { Prunable } from "../src/work/PruneModel.ts"
import * as Worker from "./Worker.ts"

export const NAME = "pruning"

// A batch takes some tens of milliseconds at most of a store that callers wait for.
const BATCH = 2_000
// Of one kind in one run: what a busy installation leaves in ten minutes at a hundred such rows a second, and more; a
// backlog goes over several runs.
const BATCHES = 50
const REST = Duration.millis(100)

const pruned = Metric.counter("loom_pruned_total", {
  description: "Rows that were removed since nobody needs them any more, by what they were",
  incremental: true
})

const pruneOne = ({ keep, name, prune }: Prunable) =>
  Effect.gen(function*() {
    const log = yield* PruneLog
    let removed = 0
    for (let turn = 0; turn < BATCHES; turn++) {
      const count = yield* prune(BATCH)
      removed += count
      yield* Metric.update(Metric.tagged(pruned, "what", name), count)
      const lookedAt = yield* Clock.currentTimeMillis
      log.note({ name, keepMillis: Duration.toMillis(keep), removed: count, lookedAt })
      if (count === 0) break
      yield* faultPoint("pruning.between")
      yield* Effect.sleep(REST)
    }
    return removed
  })

/** One run over all of it; what fails keeps nothing else from being looked at, and fails the run at its end. */
export const run: Effect.Effect<void, StoreError, Prunables> = Effect.gen(function*() {
  const outcomes = yield* Effect.forEach(
    yield* Prunables,
    (one) => Effect.map(Effect.either(pruneOne(one)), (outcome) => [one.name, outcome] as const)
  )
  const counts = outcomes.flatMap(([name, outcome]) =>
    Either.isRight(outcome) && outcome.right > 0 ? [[name, outcome.right] as const] : []
  )
  if (counts.length > 0) {
    yield* Effect.logInfo("Removed what nobody needs any more").pipe(Effect.annotateLogs(Object.fromEntries(counts)))
  }
  for (const [, outcome] of outcomes) if (Either.isLeft(outcome)) return yield* outcome.left
})

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.makeScheduled({
    name: NAME,
    // Often, so that each run is small.
    every: "10 minutes",
    run,
    pace: { idle: "15 seconds", ...pace }
  })
