/**
 * The extraction of one transcript, as the queue keeps it: whose it is, which turns it reads, how far it came, and what
 * became of it. Its id is made from identity and turns, so that the same transcript is the same job. It holds keys, ids and
 * codes, never what was said. Next: `ExtractionJobPolicy` (what follows a try), `Extraction` (the work).
 */
import * as Schema from "effect/Schema"
import { Name, OptionalName, UserId } from "../kernel/Identity.ts"
import type { Scope, Writer } from "../kernel/Identity.ts"
import { canonical, sha256 } from "../kernel/Json.ts"

/**
 * `running`: somebody is at it, a process that answers a request until `retry_at`, else the owner of the queue. `waiting`: it
 * is tried again at `retry_at`. `failed`: nobody tries it again before a person asks for it. `dropped`: a person let it go.
 */
export const JobState = Schema.Literal("queued", "running", "waiting", "done", "failed", "dropped")
export type JobState = typeof JobState.Type

/** Who is to find the facts: `auto` is the language model where one is configured, else the rules. */
export const ExtractorChoice = Schema.Literal("auto", "rules", "model")
export type ExtractorChoice = typeof ExtractorChoice.Type

const Texts = Schema.Array(Schema.String)

/** What became of one fact that was sent to the judge. */
export const FactReceipt = Schema.Struct({
  memory_key: Schema.String,
  memory_id: Schema.NullOr(Schema.String),
  outcome: Schema.Literal("stored", "merged", "duplicate", "conflict", "superseded"),
  conflict_verdict: Schema.NullOr(Schema.String),
  /** The key of the memory that says it already. */
  merged_into_key: Schema.NullOr(Schema.String),
  content_sha256: Schema.NullOr(Schema.String),
  about_other: Schema.Boolean,
  turn_ids: Texts
})
export type FactReceipt = typeof FactReceipt.Type

/** A fact that is not stored, and why, in a code and words of ours. */
export const RefusalReceipt = Schema.Struct({
  memory_key: Schema.NullOr(Schema.String),
  code: Schema.String,
  reason: Schema.String,
  turn_ids: Texts
})
export type RefusalReceipt = typeof RefusalReceipt.Type

/** What became of a request to forget. */
export const ForgetReceipt = Schema.Struct({
  turn_id: Schema.String,
  outcome: Schema.Literal("forgotten", "not_found", "unclear", "refused"),
  keys: Texts,
  code: Schema.NullOr(Schema.String)
})
export type ForgetReceipt = typeof ForgetReceipt.Type

export const Receipts = Schema.Struct({
  written: Schema.Array(FactReceipt),
  refused: Schema.Array(RefusalReceipt),
  forgets: Schema.Array(ForgetReceipt),
  extractor: Schema.String,
  segments: Schema.Number,
  tokens_in: Schema.Number,
  tokens_out: Schema.Number
})
export type Receipts = typeof Receipts.Type

export const ExtractionJob = Schema.Struct({
  org: Name,
  namespace: Name,
  agent: OptionalName,
  user_id: UserId,
  session_id: OptionalName,
  /** `ext_<32 hex digits>`. */
  job_id: Schema.String,
  run_id: Schema.String,
  /** Who gave the transcript, and the one user whose rows that caller may read. */
  actor: Schema.String,
  bound_user: Schema.NullOr(Schema.String),
  /** The user's own name; empty when nobody said it. */
  user_name: Schema.String,
  extractor: ExtractorChoice,
  /** The longest reply of a model, in tokens; 0 leaves it to the extractor. */
  max_tokens: Schema.Number,
  turn_ids: Texts,
  /** So many of them, the first ones, are there for the sense of the others: another job has them. */
  told: Schema.Number,
  /** When the conversation took place, for turns that do not say it (milliseconds). */
  observed_at: Schema.NullOr(Schema.Number),
  state: JobState,
  /** The error code of the last failure; empty when there was none since it last went well. */
  code: Schema.String,
  /** Tries that were begun. */
  tries: Schema.Number,
  /** Of these, how many failed for the transcript's own sake, and not because something did not answer. */
  faults: Schema.Number,
  /** Not to be tried before (milliseconds). */
  retry_at: Schema.NullOr(Schema.Number),
  /** Set when it is done. */
  receipts: Schema.NullOr(Receipts),
  created_at: Schema.Number,
  at: Schema.Number,
  /** The queue's owner that wrote it; 0 for everybody else. */
  epoch: Schema.BigIntFromSelf,
  version: Schema.BigIntFromSelf
})
export type ExtractionJob = typeof ExtractionJob.Type

/** What the queue needs to know of a job to take it or leave it. */
export interface JobSign {
  readonly scope: Scope
  readonly writer: Writer
  readonly job_id: string
  readonly extractor: ExtractorChoice
  readonly state: JobState
  readonly retry_at: number | null
  readonly created_at: number
  readonly version: bigint
}

/** States in which nothing is left to be done without a person. */
export const FINISHED: ReadonlyArray<JobState> = ["done", "failed", "dropped"]

export const isFinished = ({ state }: Pick<ExtractionJob, "state">): boolean => FINISHED.includes(state)

export const signOf = (job: ExtractionJob): JobSign => ({
  scope: { org: job.org, namespace: job.namespace },
  writer: { agent: job.agent, user_id: job.user_id, session_id: job.session_id },
  job_id: job.job_id,
  extractor: job.extractor,
  state: job.state,
  retry_at: job.retry_at,
  created_at: job.created_at,
  version: job.version
})

/** The id of the job of these turns of a writer. Who extracts them, and when they were observed, is not part of it. */
export const jobIdOf = (scope: Scope, writer: Writer, turnIds: ReadonlyArray<string>): string =>
  `ext_${
    sha256(canonical([scope.org, scope.namespace, writer.agent, writer.user_id, writer.session_id, ...turnIds])).slice(
      0,
      32
    )
  }`

/** The version of what is written now in the place of another, whatever the clock did in between. */
export const versionAfter = (before: bigint, now: number): bigint => {
  const wall = BigInt(Math.floor(now)) * 1_000_000n
  return wall > before ? wall : before + 1n
}
