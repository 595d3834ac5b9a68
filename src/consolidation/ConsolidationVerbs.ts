/**
 * memory.consolidate: fragments about one subject merged into one row that remembers what it was made from.
 */
import * as Schema from "effect/Schema"
import { MemoryKey, UserId } from "../kernel/Identity.ts"
import { refusalCodeNames } from "../kernel/LoomError.ts"
import { make } from "../kernel/Verb.ts"
import { scopeFields, Sha256 } from "../memory/MemoryFields.ts"

const Source = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  session_id: Schema.String,
  content_sha256: Sha256
})

export const ConsolidatedGroup = Schema.Struct({
  /** Where the merged row stands, or would. */
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  memory_type: Schema.String,
  sources: Schema.Array(Source),
  /**
   * `written` (in a dry run: would be); `unchanged` when it was made from the same contents before; `merged` when another
   * memory says the same already; `refused` with the reason in `code`.
   */
  outcome: Schema.Literal("written", "unchanged", "merged", "refused"),
  /** `model`, or `restatement` where the fullest source stands as it is; null when there is no text. */
  text_by: Schema.NullOr(Schema.Literal("model", "restatement")),
  value: Schema.NullOr(Schema.String),
  memory_id: Schema.NullOr(Schema.String),
  /** A code of an error, or NOT_BORNE when the model's text said what no source says. */
  code: Schema.NullOr(Schema.Literal(...refusalCodeNames, "NOT_BORNE", "UNAVAILABLE", "OVERLOADED", "INTERNAL")),
  message: Schema.NullOr(Schema.String)
})
export type ConsolidatedGroup = typeof ConsolidatedGroup.Type

export const MemoryConsolidate = make("memory.consolidate", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Merge fragments about one subject into one memory that is derived from them. A dry run unless dry_run=false: it answers what would be written.",
    when: "Many small memories say parts of one thing, and a reader should find them in one.",
    whenNot: "One of them is wrong (memory.update) or contradicts another (conflicts.resolve).",
    args:
      "key_prefix, memory_keys or entity narrow; without one every memory is looked at. Merged are memories of one user and type under one stem of keys, or led by one entity, that are close to each other, 2 to 20 of them; never of high sensitivity, contested, or outside content that nobody attested. The sources stay. Without a language model only restatements of one claim are merged, and the fullest stands as it is; other groups answer LANGUAGE_MODEL_REQUIRED. Deleting the last source deletes what was derived from it; memory.lineage shows both. The same again changes nothing. limit is the number of groups."
  },
  payload: Schema.Struct({
    ...scopeFields,
    user_id: Schema.optional(UserId),
    key_prefix: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(512))),
    memory_keys: Schema.optional(Schema.Array(MemoryKey).pipe(Schema.minItems(1), Schema.maxItems(500))),
    entity: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(256))),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
    dry_run: Schema.optional(Schema.Boolean)
  }),
  answer: Schema.Struct({
    groups: Schema.Array(ConsolidatedGroup),
    written: Schema.Number,
    unchanged: Schema.Number,
    merged: Schema.Number,
    refused: Schema.Number,
    /** Memories that were looked at. */
    looked_at: Schema.Number,
    /** There is more than was looked at or answered: narrow, or ask for more groups. */
    truncated: Schema.Boolean,
    model: Schema.NullOr(Schema.String),
    dry_run: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})
