/**
 * What an actor knows and its store does not yet: the memories written by batches that are judged and whose commit is
 * still under way. Whoever reads one of them from the store waits until it is in.
 */
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"

type Place = Parameters<typeof identityKey>[0]

export class Unsettled {
  private readonly counts = new Map<string, number>()

  /** `settled` ends when no commit of the namespace is under way; at once where nothing is written beside the reading. */
  constructor(readonly settled: Effect.Effect<void> = Effect.void) {}

  add(rows: ReadonlyArray<Place>): void {
    for (const row of rows) {
      const identity = identityKey(row)
      this.counts.set(identity, (this.counts.get(identity) ?? 0) + 1)
    }
  }

  remove(rows: ReadonlyArray<Place>): void {
    for (const row of rows) {
      const identity = identityKey(row)
      const left = (this.counts.get(identity) ?? 0) - 1
      if (left > 0) this.counts.set(identity, left)
      else this.counts.delete(identity)
    }
  }

  /** Waits while one of these is not in the store. */
  untilStored(rows: Iterable<Place>): Effect.Effect<void> {
    if (this.counts.size === 0) return Effect.void
    for (const row of rows) if (this.counts.has(identityKey(row))) return this.settled
    return Effect.void
  }

  /** Waits while anything is not in the store. */
  get untilAllStored(): Effect.Effect<void> {
    return this.counts.size === 0 ? Effect.void : this.settled
  }
}
