/**
 * The frame that every background worker stands on. A worker reads the feed of changes behind a durable cursor in bounded
 * batches, of each namespace in order; the cursor moves after the work is done, so each change is handled at least once and
 * its handler does the same again without harm. What fails is tried again more and more slowly, and given up on with a dead
 * letter that a person can see; nothing else of its namespace is skipped for it, and no other namespace waits. A worker
 * starts again by itself after any error, and ends cleanly when its layer does.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Singleton from "@effect/cluster/Singleton"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Fence } from "../src/memory/Fence.ts"
import type { ChangeFeed } from "../src/work/ChangeFeed.ts"
import type { WorkerStore } from "../src/work/WorkerStore.ts"
import { rounds } from "./WorkerFeed.ts"
import { defaultPace } from "./WorkerJob.ts"
import type { FeedWorker, OwnWorker, ScheduledWorker } from "./WorkerJob.ts"
import { supervised } from "./WorkerLoop.ts"
import { runs } from "./WorkerSchedule.ts"

/**
 * Where a worker lives: on exactly one runner of a cluster, or in this process, which is the only one. `singleton` is not
 * restarted by the cluster when it ends, so it never does.
 */
export type Host = "singleton" | "process"

export type { Batch, FeedWorker, OwnWorker, Pace, ScheduledWorker } from "./WorkerJob.ts"

/** A worker as a layer, to be given a host. */
export type Hosted<R> = (host: Host) => Layer.Layer<never, never, R | Needs>

type Needs = Sharding | WorkerStore | ChangeFeed | Fence

/** A worker on the feed of changes. */
export const make = <R>({ pace, ...worker }: FeedWorker<R>): Hosted<R> => {
  const whole = { ...worker, pace: { ...defaultPace, ...pace } }
  return hosted(worker.name, supervised(worker.name, (lease) => rounds(whole, lease)))
}

/** A worker that runs every so often, and reads no feed. */
export const makeScheduled = <R>({ pace, ...worker }: ScheduledWorker<R>): Hosted<R> => {
  const whole = { ...worker, pace: { ...defaultPace, ...pace } }
  return hosted(worker.name, supervised(worker.name, (lease) => runs(whole, lease)))
}

/** A worker that finds its work by itself: the frame keeps its ownership and its life. */
export const makeOwn = <R>({ life, name }: OwnWorker<R>): Hosted<R> => hosted(name, supervised(name, life))

const hosted =
  <R>(name: string, life: Effect.Effect<never, never, R>) => (host: Host): Layer.Layer<never, never, R | Sharding> =>
    host === "singleton"
      ? Singleton.make(`worker/${name}`, life)
      : Layer.scopedDiscard(Effect.forkScoped(Effect.interruptible(life)))
