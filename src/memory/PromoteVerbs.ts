/**
 * memory.promote: a memory shared into another scope, as a copy of its own that remembers where it came from.
 */
import * as Schema from "effect/Schema"
import { MemoryKey, NamespaceName, OptionalName, UserId } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { scopeFields, Sha256, WriteAnswer, writeFields, writerFields } from "./MemoryFields.ts"

export const MemoryPromote = make("memory.promote", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Share a memory into another namespace, agent or user, as a judged copy whose lineage leads back.",
    when: "What one agent or user learned should hold for a team.",
    whenNot: "The fact belongs here (memory.set), or the value must change on the way.",
    args:
      "The token must open both namespaces for writing. approved_sha256 is the content the approver saw; it refuses a row that changed since. What is not given for the target is as in the source, the session apart. memory.delete of the copy undoes it; memory.lineage shows both ends."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String),
    target_namespace: Schema.optional(NamespaceName),
    target_agent: Schema.optional(OptionalName),
    target_user_id: Schema.optional(UserId),
    target_key: Schema.optional(MemoryKey),
    rationale: Schema.optional(Schema.String.pipe(Schema.maxLength(2048))),
    approver: Schema.optional(Schema.String.pipe(Schema.maxLength(256))),
    /** Kept and shown: for how long whoever promotes means to be able to take it back. */
    reversible_for_days: Schema.optional(Schema.Int.pipe(Schema.between(0, 3650))),
    approved_sha256: Schema.optional(Sha256),
    promoted_from_candidate_id: Schema.optional(Schema.String.pipe(Schema.maxLength(256))),
    dry_run: Schema.optional(Schema.Boolean)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    promoted: Schema.Boolean,
    /** `not_found` when no served row answers the key or id. */
    reason: Schema.NullOr(Schema.String),
    /** Null when nothing was promoted. */
    lineage_id: Schema.NullOr(Schema.String),
    source_memory_id: Schema.NullOr(Schema.String),
    reversible_until: Schema.NullOr(Schema.String)
  }).pipe(Schema.extend(Schema.partial(WriteAnswer)))
})
