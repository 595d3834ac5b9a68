/**
 * Looking after a namespace: audit (habits that make it worse), validate (a check that a pipeline can run), rollback.
 */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { Confidence, scopeFields, TimeText, writeFields } from "./MemoryFields.ts"

const Seconds = Schema.Int.pipe(Schema.between(0, 3_155_760_000))
const SampleLimit = Schema.Int.pipe(Schema.between(0, 100))

const Finding = Schema.Struct({
  name: Schema.String,
  severity: Schema.Literal("error", "warning"),
  what: Schema.String,
  count: Schema.Number,
  examples: Schema.Array(Schema.Struct({
    memory_key: Schema.String,
    memory_id: Schema.NullOr(Schema.String),
    agent: Schema.NullOr(Schema.String),
    user_id: Schema.NullOr(Schema.String),
    note: Schema.NullOr(Schema.String)
  })),
  /** What to do about it. */
  next: Schema.String
})

const Report = Schema.Struct({
  namespace: Schema.String,
  ok: Schema.Boolean,
  /** Heads looked at, whatever their status. */
  rows: Schema.Number,
  /** Kinds with at least one finding, and those that were looked for and not found. */
  findings: Schema.Array(Finding),
  clean: Schema.Array(Schema.String),
  degraded: Schema.Array(Schema.String)
})

export const NamespaceAudit = make("namespace.audit", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Findings about how a namespace is kept: hash-made keys, numbered copies, lists in one value, stale conflicts, dangling links and more, each with examples and what to do.",
    when: "Recall is poor, or now and then as housekeeping.",
    whenNot: "A pipeline needs a yes or no (namespace.validate).",
    args: "It walks the whole namespace. Values are never shown. A token bound to one user sees that user's rows."
  },
  payload: Schema.Struct({
    ...scopeFields,
    sample_limit: Schema.optional(SampleLimit),
    /** How long a contradiction may wait; a week by default. */
    conflict_age_seconds: Schema.optional(Seconds)
  }),
  answer: Report
})

export const NamespaceValidate = make("namespace.validate", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Check a namespace or some of its keys: stale conflicts, low confidence, rows without a vector, dangling links.",
    when: "A pipeline or a deploy must know whether memory is sound.",
    whenNot: "You look for habits to improve (namespace.audit).",
    args:
      "ok is false on errors; with strict on warnings too. keys[] checks those alone and names the ones without a served memory."
  },
  payload: Schema.Struct({
    ...scopeFields,
    sample_limit: Schema.optional(SampleLimit),
    conflict_age_seconds: Schema.optional(Seconds),
    /** Served rows below it are findings; 0.3 by default. */
    confidence_floor: Schema.optional(Confidence),
    /** How long after its write a row may be without a vector; a minute by default. */
    embed_grace_seconds: Schema.optional(Seconds),
    strict: Schema.optional(Schema.Boolean),
    keys: Schema.optional(Schema.Array(MemoryKey).pipe(Schema.maxItems(1000)))
  }),
  answer: Report
})

export const NamespaceRollback = make("namespace.rollback", {
  access: "admin",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Return every memory of a namespace to how it stood at a point in time, each as a new version. A dry run unless dry_run=false.",
    when: "A bad import or a runaway agent changed many memories.",
    whenNot: "One memory is wrong (memory.history and memory.update, or memory.restore).",
    args:
      "to is a time, or a version_text (the whole write it belongs to counts). Memories that were not there yet are taken out of service. Locks and pins do not hold it up; the blacklist does, and what was labelled high since stays high. undo_to is the point to roll back to if it was a mistake."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writeFields,
    to: Schema.Union(Schema.String.pipe(Schema.pattern(/^\d{9,20}$/)), TimeText),
    dry_run: Schema.optional(Schema.Boolean),
    reason: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    sample_limit: Schema.optional(SampleLimit)
  }),
  answer: Schema.Struct({
    namespace: Schema.String,
    dry_run: Schema.Boolean,
    /** The version that the point came to; "0" is before everything. */
    to_version: Schema.String,
    undo_to: Schema.String,
    /** Heads looked at. */
    rows: Schema.Number,
    unchanged: Schema.Number,
    /** Heads that stand otherwise now (or would): by what becomes of them. */
    changed: Schema.Number,
    revalued: Schema.Number,
    back_in_service: Schema.Number,
    out_of_service: Schema.Number,
    /** Of those out of service: memories that were not there yet. */
    not_there_yet: Schema.Number,
    /** Left as they are, since the value they had was redacted. */
    redacted: Schema.Number,
    /** Left as they are, since the blacklist refuses the value they had. */
    blacklisted: Schema.Number,
    /** Of those changed: labelled high since, which they stay. */
    kept_high: Schema.Number,
    /** Left as they are after all, because other writes kept changing them; run it again. */
    contended: Schema.Number,
    samples: Schema.Array(Schema.Struct({
      memory_key: Schema.String,
      memory_id: Schema.String,
      agent: Schema.String,
      user_id: Schema.String,
      status: Schema.String,
      to_status: Schema.NullOr(Schema.String),
      version_text: Schema.String,
      to_version_text: Schema.NullOr(Schema.String)
    })),
    advisories: Schema.Array(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})
