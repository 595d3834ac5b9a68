/**
 * A use: somebody reported that a memory was relied on, and what came of it. And how reports become numbers, pure: the
 * reports of one caller on one memory and one UTC day are one vote, their mean; votes decay by half in thirty days; and no
 * caller has more than half of a memory's votes, or two votes where nobody else voted (ADR 0028). So a thousand reports
 * weigh as one, and a memory moves by what several callers say on several days.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { MemoryUsage } from "../memory/MemoryUsageStore.ts"
import type { Outcome } from "./RunModel.ts"

/** By which verb it was reported. */
export const UseSource = Schema.Literal("run", "outcome")
export type UseSource = typeof UseSource.Type

export interface Use {
  readonly scope: Scope
  readonly memory_id: string
  /** Whose memory it is. */
  readonly owner_id: string
  /** The actor that reports, as the token says. */
  readonly caller: string
  readonly source: UseSource
  /** Empty for none. */
  readonly run_id: string
  /** For whom it was relied on. */
  readonly user_id: string
  readonly outcome: Outcome
  readonly credit: number
  readonly harm: number
  readonly note: string
  /** Milliseconds: when it was reported. */
  readonly at: number
  /** Milliseconds: when it is written, which is later where a report broke off. */
  readonly recorded_at: number
}

/** What one caller's reports on one memory come to: its votes as much as is left of them at `last_at`. */
export interface Tally {
  readonly memory_id: string
  readonly owner_id: string
  readonly caller: string
  readonly credit: number
  readonly harm: number
  readonly last_at: number
  readonly uses: number
  readonly harms: number
}

/** What an outcome says of a memory that a run relied on: nobody knows which of several did it, so each has the same. */
export const votesOf = (outcome: Outcome, weight: number): Pick<Use, "credit" | "harm"> => {
  switch (outcome) {
    case "success":
      return { credit: weight, harm: 0 }
    case "partial":
      return { credit: weight / 2, harm: 0 }
    case "failure":
      return { credit: 0, harm: weight }
    case "unknown":
      return { credit: 0, harm: 0 }
  }
}

const DAY_MILLIS = 86_400_000

/** The half-life that the search lets what is left decay by (`src/retrieval/Priors.ts`); a test holds them together. */
export const HALF_LIFE_MILLIS = 30 * DAY_MILLIS

/** The UTC day of a time, as 2026-11-30. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** What is left of a vote after a time. */
export const left = (age: number): number => 2 ** (-Math.max(0, age) / HALF_LIFE_MILLIS)

/**
 * Votes that a caller has of its own where others have fewer. With two, one caller alone brings half of what use can bring
 * a memory (`HALF_CREDIT` of the search's prior).
 */
export const ALONE = 2

/** The sum of what callers voted, of which none has more than all others together, or than `ALONE`. */
export const shared = (votes: ReadonlyArray<number>): number => {
  const sum = votes.reduce((all, one) => all + one, 0)
  const most = Math.max(0, ...votes)
  // Only the greatest can have more than half.
  return sum - most + Math.min(most, Math.max(ALONE, sum - most))
}

// Nine digits: what a sum of doubles loses in another order lies below them.
const rounded = (value: number): number => Math.round(value * 1e9) / 1e9

/** What all tallies of one memory come to; undefined for none. */
export const usageOf = (tallies: ReadonlyArray<Tally>): MemoryUsage | undefined => {
  const [first] = tallies
  if (first === undefined) return undefined
  const last_at = Math.max(...tallies.map((tally) => tally.last_at))
  const votes = (kind: "credit" | "harm") =>
    rounded(shared(tallies.map((tally) => tally[kind] * left(last_at - tally.last_at)).sort((a, b) => a - b)))
  const count = (kind: "uses" | "harms") => tallies.reduce((sum, tally) => sum + tally[kind], 0)
  return {
    memory_id: first.memory_id,
    user_id: first.owner_id,
    credit: votes("credit"),
    harm: votes("harm"),
    last_at,
    used_count: count("uses"),
    harm_count: count("harms")
  }
}
