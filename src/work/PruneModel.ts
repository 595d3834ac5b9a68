/**
 * What may be removed once it is old: each kind of row with how long it is kept, and how a bounded number of those beyond it
 * is removed. A removal that breaks off, or runs twice, leaves nothing but rows that go with the next.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"

export interface Prunable {
  /** As metrics and `ops.cluster` tell it. */
  readonly name: string
  /** How long a row is kept after it was last needed: no request that may still come needs it then. */
  readonly keep: Duration.Duration
  /** Removes about so many of the oldest rows beyond that, and answers how many; fewer than asked when none is left. */
  readonly prune: (limit: number) => Effect.Effect<number, StoreError>
}

/** What the stores of a process hold that grows: the one list that the worker `pruning` works off. */
export class Prunables extends Context.Tag("loom/work/PruneModel/Prunables")<Prunables, ReadonlyArray<Prunable>>() {}

/** What became of it in this process. */
export interface PruneEntry {
  readonly name: string
  readonly keepMillis: number
  /** Rows removed since the process started. */
  readonly removed: number
  /** Milliseconds; null when nothing was looked at yet. */
  readonly lookedAt: number | null
}

const makeLog = () => {
  const entries = new Map<string, PruneEntry>()
  return {
    note: (entry: PruneEntry): void => {
      const before = entries.get(entry.name)
      entries.set(entry.name, { ...entry, removed: entry.removed + (before?.removed ?? 0) })
    },
    entries: (): ReadonlyArray<PruneEntry> => [...entries.values()]
  }
}

/** The log of this process, of which there is one, like the registry of its metrics. */
export class PruneLog extends Context.Reference<PruneLog>()("loom/work/PruneModel/PruneLog", {
  defaultValue: makeLog
}) {}
