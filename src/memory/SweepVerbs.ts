/**
 * The verbs that change every row a filter matches: apply (any change, tried first) and clear (a whole agent or user).
 * Both walk all matching rows, whatever their number, and answer for each; only the list of results is bounded.
 */
import * as Schema from "effect/Schema"
import { Name, OptionalName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { countFields, dryRunField, expiryFields, lockFields, onceField, Reason, RowOutcome } from "./LifecycleVerbs.ts"
import { EntityNames, MemoryTypeName, scopeFields, Tags, Trace, writeFields, writerFields } from "./MemoryFields.ts"

const Prefix = Schema.String.pipe(Schema.maxLength(512))

/** What is left out or empty is no filter. Every text is matched exactly, case included, but for `contains`. */
export const RowFilter = Schema.Struct({
  ...writerFields,
  run_id: writeFields.run_id,
  prefix: Schema.optional(Prefix),
  memory_type: Schema.optional(MemoryTypeName),
  source_trace: Schema.optional(Trace),
  /** Any of these. */
  tags: Schema.optional(Tags),
  /** All of these. */
  tags_every: Schema.optional(Tags),
  entity_filter: Schema.optional(EntityNames),
  contains: Schema.optional(Prefix),
  /** Active and conflicted rows by default; superseded rows can only be deleted or rejected. */
  statuses: Schema.optional(
    Schema.Array(Schema.Literal("active", "conflicted", "duplicate", "proposed", "superseded"))
  )
})
export type RowFilter = typeof RowFilter.Type

export const Action = Schema.Literal(
  "delete",
  "pin",
  "unpin",
  "lock",
  "unlock",
  "touch",
  "reject",
  "add_tags",
  "remove_tags"
)
export type Action = typeof Action.Type

const sweepAnswer = {
  /** Rows that the filter matched, all of them counted. */
  matched: Schema.Number,
  ...countFields,
  /** Rows that were not reached, because the store or the actor stopped answering. */
  failed: Schema.Number,
  /** Up to 1,000, those that were not carried out first. */
  results: Schema.Array(RowOutcome),
  results_truncated: Schema.Boolean,
  /** Memories that went with the last of the rows they were derived from. */
  dependents_tombstoned: Schema.Number,
  /** Memories that lost some of the rows they were derived from: they are contested now. */
  dependents_downgraded: Schema.Number,
  dry_run: Schema.Boolean,
  advisories: Schema.Array(Schema.String),
  degraded: Schema.Array(Schema.String)
}

export const MemoryApply = make("memory.apply", {
  access: "write",
  idempotent: false,
  destructive: true,
  writes: true,
  listed: true,
  teaching: {
    what:
      "One change over every row that a filter matches. A dry run unless dry_run=false: it answers what would happen.",
    when: "Many stored rows need the same label, pin, lock, expiry or removal.",
    whenNot: "One row is meant (the verb of that name), or new facts are stored (memory.bulk_set).",
    args:
      "filter takes the fields of memory.list, matched exactly; an empty filter needs all=true. action is delete, pin, unpin, lock (mode, until or ttl_seconds, reason), unlock, touch (ttl_seconds or clear_expiry, on_expire), reject, add_tags or remove_tags (tags). max_rows refuses to start when more rows match. A locked row is reported as refused, a row that changed meanwhile as STALE_VERSION; the rest goes on."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...onceField,
    filter: Schema.optional(RowFilter),
    all: Schema.optional(Schema.Boolean),
    action: Action,
    /** For add_tags and remove_tags. */
    tags: Schema.optional(Tags),
    /** For lock. */
    mode: Schema.optional(Schema.Literal("read_only", "no_delete")),
    until: lockFields.until,
    ...expiryFields,
    reason: Schema.optional(Reason),
    max_rows: Schema.optional(Schema.Int.pipe(Schema.between(0, 100_000_000))),
    ...dryRunField
  }),
  answer: Schema.Struct({ action: Action, ...sweepAnswer })
})

export const MemoryClear = make("memory.clear", {
  access: "admin",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Delete every memory of an agent or a user in the namespace, retired and proposed ones too.",
    when: "An agent or user starts anew.",
    whenNot: "Some rows are meant (memory.apply), or the data must be erased from the history as well.",
    args:
      "agent or user_id is needed; session_id, memory_type and prefix narrow. Locked rows stay and are reported. memory.restore brings each row back within 14 days."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...onceField,
    // An empty name would mean every row without one; whoever means the anonymous user says `-`.
    agent: Schema.optional(Name),
    user_id: Schema.optional(Name),
    session_id: Schema.optional(OptionalName),
    memory_type: Schema.optional(MemoryTypeName),
    prefix: Schema.optional(Prefix),
    reason: Schema.optional(Reason),
    ...dryRunField
  }),
  answer: Schema.Struct({
    /** Rows that are deleted by this call; in a dry run, that would be. */
    cleared: Schema.Number,
    ...sweepAnswer
  })
})
