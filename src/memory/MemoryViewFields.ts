/**
 * One memory as it stands in answers: wire names, ISO times, empty columns as null.
 */
import * as Schema from "effect/Schema"
import { Json } from "../kernel/Json.ts"

/** One memory as reads show it. Fields that a read leaves out are absent. */
export const MemoryView = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  run_id: Schema.String,
  /** Null for a high-sensitivity row outside a read by key. */
  value: Json,
  value_withheld: Schema.optional(Schema.Boolean),
  /** The value of this version was scrubbed (memory.redact); it is null for good. */
  redacted: Schema.optional(Schema.Boolean),
  memory_type: Schema.String,
  tags: Schema.Array(Schema.String),
  entities: Schema.Array(Schema.String),
  relations: Schema.Array(Schema.Array(Schema.String)),
  files: Schema.Array(Schema.String),
  confidence: Schema.Number,
  status: Schema.String,
  pinned: Schema.Boolean,
  conflict_with: Schema.Array(Schema.String),
  duplicate_of: Schema.NullOr(Schema.String),
  superseded_by: Schema.NullOr(Schema.String),
  version: Schema.Number,
  version_text: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  valid_at: Schema.NullOr(Schema.String),
  valid_to: Schema.NullOr(Schema.String),
  temporal_anchor: Schema.NullOr(Schema.String),
  invalid_at: Schema.NullOr(Schema.String),
  tombstoned_at: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.String),
  on_expire: Schema.NullOr(Schema.String),
  expire_reason: Schema.NullOr(Schema.String),
  actor: Schema.String,
  source_class: Schema.String,
  source_trace: Schema.NullOr(Schema.String),
  source_resource_id: Schema.NullOr(Schema.String),
  verification: Schema.String,
  verified_by: Schema.NullOr(Schema.String),
  lock_mode: Schema.NullOr(Schema.String),
  lock_until: Schema.NullOr(Schema.String),
  lock_reason: Schema.NullOr(Schema.String),
  sensitivity: Schema.String,
  char_limit: Schema.NullOr(Schema.Number),
  retyped_from: Schema.NullOr(Schema.String),
  reinforcement_count: Schema.Number,
  content_sha256: Schema.String
})
export type MemoryView = typeof MemoryView.Type
