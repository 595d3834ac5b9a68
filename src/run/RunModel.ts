/**
 * A run: a piece of work that an agent begins with a goal and ends with an outcome, naming the memories it relied on. Times
 * are milliseconds since 1970. A run ends once; what it said then stays. Next: `UseModel`, what it says of a memory.
 */
import * as Schema from "effect/Schema"
import type { Scope, Writer } from "../kernel/Identity.ts"

/** How a run ended by itself, whatever came of it. */
export const EndStatus = Schema.Literal("completed", "failed", "cancelled")
export const RunStatus = Schema.Literal("running", ...EndStatus.literals)
export type RunStatus = typeof RunStatus.Type

/** What came of it. */
export const Outcome = Schema.Literal("success", "failure", "partial", "unknown")
export type Outcome = typeof Outcome.Type

/** Whether the texts of the end are kept, or its numbers alone. */
export const Retain = Schema.Literal("full", "outcome")
export type Retain = typeof Retain.Type

/** What `run.complete` stated. */
export interface RunEnd {
  readonly status: Exclude<RunStatus, "running">
  readonly outcome: Outcome
  readonly weight: number
  readonly final_response: string
  readonly confidence: number | null
  readonly duration_ms: number | null
  /** A JSON object. */
  readonly completion: string
  /** Ids of memories that were found. */
  readonly memories_used: ReadonlyArray<string>
  /** Names that were not found, as they were given. */
  readonly unknown_used: ReadonlyArray<string>
  readonly recalled_keys: ReadonlyArray<string>
  /** Empty for none. */
  readonly reflection_id: string
  readonly retain: Retain
  readonly completed_at: number
  readonly completed_by: string
  /** Hash of what was stated, by which the same is told from another. */
  readonly completed_sha256: string
}

export interface Run extends Scope, Writer {
  readonly run_id: string
  readonly goal: string
  readonly user_request: string
  readonly expected_outcome: string
  readonly environment: string
  readonly model: string
  readonly consumer: string
  readonly role: string
  /** A JSON object. */
  readonly metadata: string
  readonly budget_usd: number | null
  readonly budget_seconds: number | null
  readonly begun_at: number
  readonly begun_by: string
  readonly begun_sha256: string
  /** Null while it runs. */
  readonly end: RunEnd | null
}

export const statusOf = ({ end }: Run): RunStatus => end?.status ?? "running"

/** Under which key the lesson of a run is kept. */
export const reflectionKey = (runId: string): string => `run/${runId}/reflection`

/** The version of a row, in nanoseconds: the end is later than the beginning whatever the clocks of two hosts say. */
export const versionOf = ({ begun_at, end }: Run): bigint =>
  BigInt(Math.floor(end === null ? begun_at : Math.max(end.completed_at, begun_at + 1))) * 1_000_000n
