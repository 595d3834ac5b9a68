/**
 * The review queue: what contradicts what, and the three ways out of it. A contradiction stays served from both sides
 * until somebody decides.
 */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { Json } from "../kernel/Json.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { MemoryTypeName, scopeFields, Sha256, Value, WriteAnswer, writeFields, writerFields } from "./MemoryFields.ts"

/** One side of a contradiction. */
export const ConflictSide = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_type: Schema.String,
  /** Null when it is withheld. */
  value: Json,
  value_withheld: Schema.optional(Schema.Boolean),
  content_sha256: Schema.String,
  version_text: Schema.String,
  updated_at: Schema.String,
  valid_at: Schema.NullOr(Schema.String),
  source_class: Schema.String,
  verification: Schema.String,
  pinned: Schema.Boolean,
  lock_mode: Schema.NullOr(Schema.String)
})
export type ConflictSide = typeof ConflictSide.Type

export const ConflictsList = make("conflicts.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "List the pairs of memories that contradict each other, newest first, with both values and why.",
    when: "You review what the store doubts, or an answer said conflict_with.",
    whenNot: "You look for an answer to a question (memory.search).",
    args: "older_than_seconds keeps pairs that have waited that long. Decide each with conflicts.resolve."
  },
  payload: Schema.Struct({
    ...scopeFields,
    user_id: writerFields.user_id,
    /** Pairs with this key on either side. */
    memory_key: Schema.optional(MemoryKey),
    memory_type: Schema.optional(MemoryTypeName),
    older_than_seconds: Schema.optional(Schema.Int.pipe(Schema.between(0, 3_155_760_000))),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 500))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    conflicts: Schema.Array(Schema.Struct({
      /** The row that was flagged, then the one that came to contradict it. */
      sides: Schema.Array(ConflictSide),
      since: Schema.String,
      /** The version of the flag. */
      since_version: Schema.String,
      age_seconds: Schema.Number,
      /** The rule that flagged it, such as `conflict.number`; null when the history does not say. */
      rule: Schema.NullOr(Schema.String),
      reason: Schema.NullOr(Schema.String),
      write_id: Schema.String
    })),
    /** Pairs that match, whatever the page. */
    total: Schema.Number,
    next_cursor: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

/** What a resolution means for one row; `kept` leaves it as it is, but for the link that goes. */
export const ResolvedAction = Schema.Literal("corrected", "tombstoned", "allowed", "kept")
export type ResolvedAction = typeof ResolvedAction.Type

export const ConflictsResolve = make("conflicts.resolve", {
  access: "write",
  idempotent: false,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Decide a contradiction: revise (the named row holds, the others are tombstoned), allow (all hold), contract (the named row is wrong and is tombstoned).",
    when: "conflicts.list or a conflict verdict named the rows and you know which holds.",
    whenNot: "A fact simply changed (memory.set under its key, with the new valid_at).",
    args:
      "memory_id names the row that is kept (revise, allow) or taken away (contract); with_ids the other rows, all it contradicts when left out. With revise, value gives the kept row a new value. Pass if_match_sha256 and versions as you read them; a row that changed since is STALE_VERSION and nothing is done. memory.restore brings a tombstoned row back within 14 days."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writeFields,
    action: Schema.Literal("revise", "allow", "contract"),
    memory_id: Schema.String,
    with_ids: Schema.optional(Schema.Array(Schema.String).pipe(Schema.minItems(1), Schema.maxItems(100))),
    /** A new value for the kept row; with `revise` alone. */
    value: Schema.optional(Value),
    /** The hash of the row that `memory_id` names, as it was read. */
    if_match_sha256: Schema.optional(Sha256),
    /** `version_text` by memory_id, as they were read. */
    versions: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
    reason: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    dry_run: Schema.optional(Schema.Boolean)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    resolved: Schema.Boolean,
    /** `not_found` or `no_conflict`; null when it was resolved. */
    reason: Schema.NullOr(Schema.String),
    dry_run: Schema.Boolean,
    results: Schema.Array(Schema.Struct({
      memory_id: Schema.NullOr(Schema.String),
      memory_key: Schema.NullOr(Schema.String),
      action: ResolvedAction,
      outcome: Schema.String,
      status_before: Schema.NullOr(Schema.String),
      answer: Schema.NullOr(WriteAnswer)
    })),
    degraded: Schema.Array(Schema.String)
  })
})
