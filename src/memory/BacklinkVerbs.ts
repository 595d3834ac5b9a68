/** The verb that shows what links to a memory. */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { rowFields } from "./MemoryFields.ts"

/** How two memories belong together; of `conflict` both sides name the other. */
export const Relation = Schema.Literal("conflict", "duplicate_of", "superseded_by", "derived_from", "promoted_from")
export type Relation = typeof Relation.Type

const Link = Schema.Struct({
  relation: Relation,
  namespace: Schema.String,
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  status: Schema.String
})
export type Link = typeof Link.Type

export const MemoryBacklinks = make("memory.backlinks", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "What links to a memory and what it links to: contradictions, duplicates, what replaced it, derived and promoted rows, digests, and how many turns it rests on.",
    when: "You are about to change or delete a memory and want to know what hangs on it.",
    whenNot: "You want the turns themselves (memory.evidence) or the whole chain (memory.lineage).",
    args: "links_in name this memory, links_out are named by it. What you may not read is counted in `hidden`."
  },
  payload: Schema.Struct(rowFields),
  answer: Schema.Struct({
    found: Schema.Boolean,
    memory_id: Schema.NullOr(Schema.String),
    memory_key: Schema.NullOr(Schema.String),
    links_in: Schema.Array(Link),
    links_out: Schema.Array(Link),
    /** Digests of sessions that were made from it. */
    digests: Schema.Array(Schema.Struct({
      digest_id: Schema.String,
      agent: Schema.String,
      session_id: Schema.String,
      created_at: Schema.String,
      /** Whether it was made from what the memory says now. */
      current: Schema.Boolean
    })),
    /** Turns of conversations that its present content rests on. */
    evidence_count: Schema.Number,
    /** Links that the caller may not follow. */
    hidden: Schema.Number,
    truncated: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})
