/** The verb that shows on which turns of conversations a memory rests. */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { rowFields } from "../memory/MemoryFields.ts"
import { TurnView } from "./ConversationFields.ts"

// A question, an answer and what led to them, on either side.
const MOST_CONTEXT = 5

export const MemoryEvidence = make("memory.evidence", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "The turns of conversations from which a memory was extracted, in their order.",
    when: "You must decide whether a memory says what was said, or want to quote it.",
    whenNot: "You want its writer and attestation (memory.provenance) or memories it was made from (memory.lineage).",
    args:
      "context (0 to 5) shows so many turns before and after each. Turns you may not read are counted in `hidden`, deleted ones in `gone`."
  },
  payload: Schema.Struct({
    ...rowFields,
    context: Schema.optional(Schema.Int.pipe(Schema.between(0, MOST_CONTEXT)))
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    memory_id: Schema.NullOr(Schema.String),
    memory_key: Schema.NullOr(Schema.String),
    content_sha256: Schema.NullOr(Schema.String),
    /** By session and in the order in which they came. */
    turns: Schema.Array(
      Schema.Struct({
        ...TurnView.fields,
        /** Whether the memory rests on it; others stand beside such a turn. */
        is_evidence: Schema.Boolean
      })
    ),
    /** Turns that the present content of the memory rests on, shown or not. */
    evidence_count: Schema.Number,
    /** Of these, the ones the caller may not read, and the ones that were deleted since. */
    hidden: Schema.Number,
    gone: Schema.Number,
    /** Turns that only an earlier content of the memory rests on. */
    of_earlier: Schema.Number,
    truncated: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})
