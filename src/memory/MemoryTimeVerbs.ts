/** The verb `memory.timeline`, declared once: what a key was believed to say, as intervals of the world's time. */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { Json } from "../kernel/Json.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { asOfFields } from "./AsOfFields.ts"
import { scopeFields, writerFields } from "./MemoryFields.ts"

/** One belief. Times are ISO 8601; world times beside the times at which Loom learned and retired it. */
export const Belief = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  /** Null where the row is of high sensitivity. */
  value: Json,
  value_withheld: Schema.optional(Schema.Boolean),
  content_sha256: Schema.String,
  valid_from: Schema.String,
  /** What `valid_from` is: the date stated, the date the fact is about, or the time it was learned. */
  from_basis: Schema.Literal("valid_at", "temporal_anchor", "learned"),
  /** Exclusive; null while the belief stands. */
  valid_until: Schema.NullOr(Schema.String),
  /** Whether the end was not stated but follows from what replaced the belief. */
  until_derived: Schema.Boolean,
  learned_at: Schema.String,
  /** When Loom took it out of service: replaced, retired or withdrawn; null while it stands. */
  retired_at: Schema.NullOr(Schema.String),
  /** That of the row; `superseded` also for a statement that a later one under the same row replaced. */
  status: Schema.String,
  /** Deleted, rejected or rolled back: it answers for no time. */
  withdrawn: Schema.Boolean,
  /** The id of the row that replaced it, its own when it was stated anew; null when none did or it may not be read. */
  superseded_by: Schema.NullOr(Schema.String),
  version_text: Schema.String,
  actor: Schema.String,
  source_class: Schema.String
})
export type Belief = typeof Belief.Type

export const MemoryTimeline = make("memory.timeline", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "What a key was believed to say over the world's time: one interval a belief, earliest first.",
    when: "You ask how a fact changed, or what was true between two dates.",
    whenNot:
      "You need the value now (memory.get), at one time (memory.get with as_of), or every edit (memory.history).",
    args:
      "An end that nobody stated is that of the next belief's start and marked until_derived. Overlaps (two writers, or stated ends) and gaps are shown as they are. as_of_known shows the beliefs as they were known at a time; include_withdrawn adds deleted and rejected ones."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String),
    as_of_known: asOfFields.as_of_known,
    include_withdrawn: Schema.optional(Schema.Boolean),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    beliefs: Schema.Array(Belief),
    next_cursor: Schema.NullOr(Schema.String),
    advisories: Schema.Array(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})
