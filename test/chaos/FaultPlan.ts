/**
 * Which fault comes when, drawn from a seed: every kind comes once before any comes again, on a runner drawn at random, and
 * now and then one begins while the one before it still lasts.
 */
import { randomOf } from "../support/Seeded.ts"

export const FAULT_KINDS = [
  "kill",
  "term",
  "stop",
  "cut_postgres",
  "cut_clickhouse",
  // From both stores at once, and from no caller: the partition that a fence is for.
  "isolate",
  "restart_postgres",
  "restart_engine",
  "skew"
] as const

/** Of runners that are hosts of their own: from everybody, callers and other runners too. */
export const PARTITION = "partition"

export type FaultKind = typeof FAULT_KINDS[number] | typeof PARTITION

export interface PlannedFault {
  readonly kind: FaultKind
  /** Which runner, where one is meant. */
  readonly runner: number
  /** Milliseconds after the one before began. */
  readonly after: number
  /** In [0, 1): which of its ways, and how long. */
  readonly way: number
  readonly length: number
}

// A pause of 20 s and the fail-over behind it are over then.
const APART_MILLIS = 14_000
const JITTER_MILLIS = 6_000
// Amid the one before.
const OVERLAP_MILLIS = 4_000
const OVERLAP_SHARE = 0.3

export const isOfRunner = (kind: FaultKind): boolean => kind !== "restart_postgres" && kind !== "restart_engine"

/** Without end. */
export function* plan(seed: number, runners: number, kinds: ReadonlyArray<FaultKind>): Generator<PlannedFault, never> {
  const random = randomOf(seed)
  for (;;) {
    const deck = kinds.map((kind) => ({ kind, at: random() })).sort((one, other) => one.at - other.at)
    for (const { kind } of deck) {
      const overlaps = random() < OVERLAP_SHARE
      yield {
        kind,
        runner: Math.floor(random() * runners),
        after: overlaps ? random() * OVERLAP_MILLIS : APART_MILLIS + random() * JITTER_MILLIS,
        way: random(),
        length: random()
      }
    }
  }
}
