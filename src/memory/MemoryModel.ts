/**
 * The memory row: one version of one memory, column for column as in `loom.memory` (docs/schema.md). Times are
 * milliseconds since 1970, versions are exact 64-bit integers. Also the sets of statuses that reads and writes share;
 * they are defined here once. Next: `MemoryStore` (how rows are kept) and `WritePolicy` (how a write is judged).
 */
import * as Schema from "effect/Schema"
import { Identity } from "../kernel/Identity.ts"
import type { Json } from "../kernel/Json.ts"

export const Status = Schema.Literal(
  "active",
  "conflicted",
  "duplicate",
  "superseded",
  "proposed",
  "rejected",
  "tombstoned",
  // A version that holds a place in the history and was never served (a commit that was voided).
  "void"
)
export type Status = typeof Status.Type

/** Rows that reads serve by default. A conflicted row stays served: hiding one side would let the store lie. */
export const SERVED_STATUSES = ["active", "conflicted"] as const satisfies ReadonlyArray<Status>

/**
 * Statuses that a read of one run serves, of every run for none: what a run said is found in it, though another run said it
 * before and that row answers for it everywhere else.
 */
export const servedIn = (run_id: string | undefined): ReadonlyArray<Status> =>
  run_id === undefined || run_id === "" ? SERVED_STATUSES : [...SERVED_STATUSES, "duplicate"]

/** Rows that stand under their key for the writer: a write to the same key revises them. */
export const LIVE_STATUSES = ["active", "conflicted", "duplicate", "proposed"] as const satisfies ReadonlyArray<Status>

/** Whether a status takes a row out from under its key: it was deleted, rejected, or ended by an expiry. */
export const isOut = (status: Status): boolean => status === "tombstoned" || status === "rejected"

export const SourceClass = Schema.Literal("asserted", "extracted", "observed", "derived", "imported", "external")
export type SourceClass = typeof SourceClass.Type

export const Sensitivity = Schema.Literal("none", "medium", "high")
export type Sensitivity = typeof Sensitivity.Type

export const LockMode = Schema.Literal("", "read_only", "no_delete")

/** What a version did to its row; the change feed and the audit chain carry it. */
export const Change = Schema.Literal(
  "create",
  // A new value stated under the key.
  "revise",
  // The value under the key corrected.
  "correct",
  "restate",
  "merge",
  "delete",
  "restore",
  "retire",
  // A contradiction was found, or is no more.
  "flag",
  "unflag",
  "label",
  "pin",
  "lock",
  "verify",
  "touch",
  "reject",
  // A proposal was taken in.
  "accept",
  "expire",
  "rollback",
  "repair"
)
export type Change = typeof Change.Type

const Millis = Schema.Number
const OptionalMillis = Schema.NullOr(Schema.Number)
const Texts = Schema.Array(Schema.String)

export const MemoryRow = Schema.Struct({
  ...Identity.fields,
  memory_id: Schema.String,
  run_id: Schema.String,
  value: Schema.String,
  /** `redacted`: the value was scrubbed (`memory.redact`) and is empty; hashes and audit columns are those it had. */
  value_kind: Schema.Literal("string", "json", "redacted"),
  content_sha256: Schema.String,
  canonical_sha256: Schema.String,
  memory_type: Schema.String,
  tags: Texts,
  entities: Texts,
  relations: Schema.String,
  files: Texts,
  confidence: Schema.Number,
  status: Status,
  pinned: Schema.Boolean,
  conflict_with: Texts,
  duplicate_of: Schema.String,
  superseded_by: Schema.String,
  version: Schema.BigIntFromSelf,
  created_at: Millis,
  updated_at: Millis,
  valid_at: OptionalMillis,
  valid_to: OptionalMillis,
  temporal_anchor: OptionalMillis,
  temporal_confidence: Schema.NullOr(Schema.Number),
  invalid_at: OptionalMillis,
  tombstoned_at: OptionalMillis,
  expires_at: OptionalMillis,
  on_expire: Schema.String,
  expire_reason: Schema.String,
  actor: Schema.String,
  source_class: SourceClass,
  source_trace: Schema.String,
  source_resource_id: Schema.String,
  verified_by: Schema.String,
  verified_kind: Schema.Literal("", "human", "process"),
  verified_sha256: Schema.String,
  verified_at: OptionalMillis,
  lock_mode: LockMode,
  lock_until: OptionalMillis,
  lock_reason: Schema.String,
  locked_by: Schema.String,
  sensitivity: Sensitivity,
  char_limit: Schema.Number,
  retyped_from: Schema.String,
  reinforcement_count: Schema.Number,
  write_id: Schema.String,
  idem_hash: Schema.String,
  payload_hash: Schema.String,
  answer: Schema.String,
  change: Change,
  cause: Schema.String,
  epoch: Schema.BigIntFromSelf,
  seq: Schema.BigIntFromSelf,
  audit_prev: Schema.String,
  audit_hash: Schema.String
})
export type MemoryRow = typeof MemoryRow.Type

/** Whether a row answers reads at a time: its status is served and neither its expiry nor its validity has ended. */
export const isServed = (
  row: Pick<MemoryRow, "status" | "expires_at" | "valid_to">,
  now: number
): boolean => (row.status === "active" || row.status === "conflicted") && !isEnded(row, now)

/** Whether a row still stands under its key for its writer. */
export const isLive = (row: Pick<MemoryRow, "status" | "expires_at" | "valid_to">, now: number): boolean =>
  LIVE_STATUSES.some((status) => status === row.status) && !isEnded(row, now)

/** Whether a row's expiry or validity has passed. */
export const isEnded = (row: Pick<MemoryRow, "expires_at" | "valid_to">, now: number): boolean =>
  (row.expires_at !== null && row.expires_at <= now) || (row.valid_to !== null && row.valid_to <= now)

/**
 * Whether an expiry took the row out of service and that was written down. It reads as the end did that nobody had written
 * down yet: when a worker comes by changes no answer.
 */
export const isExpired = ({ change, status }: Pick<MemoryRow, "status" | "change">): boolean =>
  status === "tombstoned" && change === "expire"

/** Whether the value of this version was scrubbed: what it said is gone for good. */
export const isRedacted = ({ value_kind }: Pick<MemoryRow, "value_kind">): boolean => value_kind === "redacted"

/** The value as the caller gave it: a string byte for byte, other JSON equal by RFC 8785; null when it was redacted. */
export const valueOf = (row: Pick<MemoryRow, "value" | "value_kind">): Json => {
  if (isRedacted(row)) return null
  if (row.value_kind === "string") return row.value
  const parsed: Json = JSON.parse(row.value)
  return parsed
}

/** Whether somebody vouched for the content as it is. */
export const isVerified = (row: Pick<MemoryRow, "verified_kind" | "verified_sha256" | "content_sha256">): boolean =>
  row.verified_kind !== "" && row.verified_sha256 === row.content_sha256

/** `human` or `process` while the attested content is unchanged, `stale` once it changed, `none` if never attested. */
export const verification = (
  row: Pick<MemoryRow, "verified_kind" | "verified_sha256" | "content_sha256">
): "human" | "process" | "stale" | "none" =>
  row.verified_kind === "" ? "none" : row.verified_sha256 === row.content_sha256 ? row.verified_kind : "stale"
