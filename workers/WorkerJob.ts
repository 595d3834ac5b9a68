/** What a worker is to do and how hard it may work, as its own file declares it. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Scope } from "../src/kernel/Identity.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import type { FeedChange } from "../src/work/ChangeFeed.ts"
import type { Lease } from "./WorkerLease.ts"
import type { Broken } from "./WorkerLoop.ts"

/** Consecutive changes of one namespace, at least one. */
export interface Batch {
  readonly scope: Scope
  readonly changes: ReadonlyArray<FeedChange>
}

export interface Pace {
  /** How long a worker that has nothing to do waits before it looks again. */
  readonly idle: Duration.DurationInput
  /** How long one batch may take; beyond it counts as a failure that passes by itself. */
  readonly limit: Duration.DurationInput
  /** The part of its time that a worker works, above 0 and at most 1; it rests in between for the sake of callers. */
  readonly share: number
  /** How often one change is tried that fails for its own sake (refused, corrupt, a defect). */
  readonly tries: number
  /** How long one change is tried that fails for the sake of others (a store or model that does not answer). */
  readonly patience: Duration.DurationInput
}

export const defaultPace: Pace = {
  // A look costs one short query; what a worker derives may be two seconds late.
  idle: "2 seconds",
  limit: "5 minutes",
  share: 1,
  // Long enough for a cause that passes, short enough that a person hears of it within the hour.
  tries: 5,
  // A model that is down for a night loses nothing.
  patience: "24 hours"
}

export interface FeedWorker<R> {
  readonly name: string
  /** The most changes of one batch. */
  readonly batch: number
  /** Namespaces whose batches are handled at the same time; 1 by default. A round ends with its slowest. */
  readonly concurrency?: number
  /** Handles a batch; does the same again without harm. */
  readonly run: (batch: Batch) => Effect.Effect<void, LoomError, R>
  readonly pace?: Partial<Pace>
}

export interface ScheduledWorker<R> {
  readonly name: string
  readonly every: Duration.DurationInput
  /** Whether there is something to do though the time has not come; asked every `pace.idle`. */
  readonly isDue?: Effect.Effect<boolean, LoomError, R>
  readonly run: Effect.Effect<void, LoomError, R>
  readonly pace?: Partial<Pace>
}

/** A worker that finds its work by itself, such as one on a queue. It asks its lease around all that it keeps. */
export interface OwnWorker<R> {
  readonly name: string
  readonly life: (lease: Lease) => Effect.Effect<never, Broken, R>
}

/** A worker with its whole pace. */
export type Paced<W> = Omit<W, "pace"> & { readonly pace: Pace }
