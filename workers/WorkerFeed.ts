/**
 * The rounds of a worker on the feed: which namespaces have something new, one batch of each, and again. What a namespace
 * fails at stays with it (`WorkerPlace`); the others go on.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "../src/kernel/Identity.ts"
import { ChangeFeed } from "../src/work/ChangeFeed.ts"
import { isPaused } from "../src/work/WorkerModel.ts"
import type { DeadLetter, Pause } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import type { FeedWorker, Paced } from "./WorkerJob.ts"
import type { Lease } from "./WorkerLease.ts"
import type { Broken } from "./WorkerLoop.ts"
import * as WorkerMetrics from "./WorkerMetrics.ts"
import { makePlaces } from "./WorkerPlace.ts"

// A pause, and a letter to be tried again, are heeded within this time (milliseconds).
const ORDERS_MILLIS = 3_000
// How often the lag is measured (milliseconds); it costs one query over what is new.
const LAG_MILLIS = 30_000
// Versions are times of writing. A writer's clock may be behind, so a look goes back a little behind what was handled, and
// every so often over everything, whatever the clocks said.
const SLACK_NANOS = 10n * 60n * 1_000_000_000n
const WHOLE_LOOK_MILLIS = 10 * 60_000
const LETTERS_AT_ONCE = 100

interface Orders {
  readonly pauses: ReadonlyArray<Pause>
  readonly retries: ReadonlyArray<DeadLetter>
}

export const rounds = <R>(
  worker: Paced<FeedWorker<R>>,
  lease: Lease
): Effect.Effect<never, Broken, R | WorkerStore | ChangeFeed> =>
  Effect.gen(function*() {
    const store = yield* WorkerStore
    const feed = yield* ChangeFeed
    const places = yield* makePlaces(worker, lease)
    let since = 0n
    let wholeAt = 0
    let ordersAt = Number.NEGATIVE_INFINITY
    let lagAt = Number.NEGATIVE_INFINITY
    let orders: Orders = { pauses: [], retries: [] }

    const readOrders = (now: number) =>
      Effect.gen(function*() {
        if (now - ordersAt < ORDERS_MILLIS) return { ...orders, retries: [] }
        ordersAt = now
        orders = {
          pauses: yield* store.pauses(worker.name),
          retries: yield* store.letters({
            reach: "everything",
            worker: worker.name,
            states: ["retry"],
            limit: LETTERS_AT_ONCE
          })
        }
        return orders
      })

    const measureLag = (now: number) =>
      Effect.gen(function*() {
        if (now - lagAt < LAG_MILLIS) return
        lagAt = now
        const behind = yield* feed.behind(worker.name, "everything", since)
        const changes = behind.reduce((sum, one) => sum + one.changes, 0)
        const oldest = behind.reduce((least, one) => Math.min(least, Number(one.oldest / 1_000_000n)), now)
        yield* WorkerMetrics.note(WorkerMetrics.lagVersions, worker.name, changes)
        yield* WorkerMetrics.note(WorkerMetrics.lagSeconds, worker.name, Math.max(0, now - oldest) / 1000)
      })

    /** One batch of every namespace that has something new; true when there is more to do at once. */
    const round = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const { pauses, retries } = yield* readOrders(now)
      const goesOn = (scope: Scope) => !isPaused(pauses, scope)
      for (const letter of retries) if (goesOn(letter.scope)) yield* places.retry(letter)
      if (now - wholeAt >= WHOLE_LOOK_MILLIS) {
        since = 0n
        wholeAt = now
      }
      const tops = yield* feed.tops(since)
      const behind = tops.filter(({ scope, top }) => !places.isAt(scope, top))
      const due = behind.filter(({ scope }) => goesOn(scope))
      const outcomes = yield* Effect.forEach(due, ({ scope, top }) => places.step(scope, top), {
        concurrency: worker.concurrency ?? 1
      })
      if (due.length === behind.length && outcomes.every((outcome) => outcome === "whole")) {
        const handled = BigInt(Math.floor(now)) * 1_000_000n - SLACK_NANOS
        since = handled > since ? handled : since
      }
      yield* measureLag(now)
      return outcomes.includes("more")
    })

    return yield* Effect.forever(
      Effect.flatMap(round, (isMore) => isMore ? Effect.yieldNow() : Effect.sleep(worker.pace.idle))
    )
  })
