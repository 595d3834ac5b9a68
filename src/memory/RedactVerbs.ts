/**
 * memory.redact: a historical value is scrubbed for good, while hashes and the audit chain stay.
 */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { scopeFields, Sha256, writeFields, writerFields } from "./MemoryFields.ts"

export const MemoryRedact = make("memory.redact", {
  access: "admin",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Scrub a historical value for good, with everything derived from it; hashes and audit entries stay.",
    when: "A secret or a person's data was stored and must be gone from the history too.",
    whenNot: "The value only became wrong (memory.update), or is still live: revise or delete it first.",
    args:
      "version_text or content_sha256 says which value; every version of the memory that holds it is scrubbed, since one alone would leave the text in the others. It cannot be undone, and it merges whole tables: it takes as long as they are large."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String),
    version_text: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))),
    content_sha256: Schema.optional(Sha256),
    reason: Schema.optional(Schema.String.pipe(Schema.maxLength(512)))
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    /** Whether the value is gone: no table holds it any more under this memory. */
    redacted: Schema.Boolean,
    /** `not_found` when there is no such memory, `no_such_value` when it never held the value. */
    reason: Schema.NullOr(Schema.String),
    memory_id: Schema.NullOr(Schema.String),
    content_sha256: Schema.NullOr(Schema.String),
    /** Versions, vectors and passages scrubbed by this call. */
    versions: Schema.Number,
    vectors: Schema.Number,
    chunks: Schema.Number,
    /** Whether the row out of service was scrubbed as well, as a new version. */
    head: Schema.Boolean,
    /** Places where the value still stands; ask again when it is not 0. */
    remaining: Schema.Number
  })
})
