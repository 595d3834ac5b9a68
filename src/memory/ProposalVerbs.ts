/**
 * The verbs of facts on trial: what is proposed and waits, and the decision that takes it into service or marks it wrong.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { dryRunField, onceField, Reason } from "./LifecycleVerbs.ts"
import { rowFields, scopeFields, WriteAnswer, writerFields } from "./MemoryFields.ts"
import { MemoryView } from "./MemoryViewFields.ts"

export const MemoryProposals = make("memory.proposals", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "The facts on trial, newest first, each with the stored rows it contradicts.",
    when: "You review what was proposed.",
    whenNot: "You look for facts in service (memory.list).",
    args:
      "prefix and tags (any of them, in any case) narrow; only=open leaves out those that contradict a stored row, only=contradicted shows just those. next_cursor walks on."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    prefix: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    tags: Schema.optional(Schema.Array(Schema.String)),
    only: Schema.optional(Schema.Literal("open", "contradicted")),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    proposals: Schema.Array(
      Schema.extend(
        Schema.partial(MemoryView),
        Schema.Struct({
          /** The rows it contradicts, as far as the caller may read them. */
          contradicts: Schema.Array(Schema.Struct({
            memory_key: Schema.String,
            memory_id: Schema.String,
            status: Schema.String
          })),
          /** Since it was first proposed. */
          age_seconds: Schema.Number
        })
      )
    ),
    next_cursor: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

export const MemoryProposalDecide = make("memory.proposal_decide", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Take a proposed fact into service, or mark it wrong.",
    when: "Somebody decided on a fact on trial.",
    whenNot: "The fact is in service already (memory.reject, memory.update).",
    args:
      "memory_key or memory_id of a proposal. An accepted fact is judged once more: it is stored active, conflicted beside a row it contradicts, or duplicate of one that says the same. found=false means there is no such proposal."
  },
  payload: Schema.Struct({
    ...rowFields,
    ...onceField,
    decision: Schema.Literal("accept", "reject"),
    /** Kept with a rejection. */
    reason: Schema.optional(Reason),
    ...dryRunField
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    decided: Schema.Boolean,
    decision: Schema.Literal("accept", "reject")
  }).pipe(Schema.extend(Schema.partial(WriteAnswer)))
})
