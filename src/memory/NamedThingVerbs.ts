/**
 * What memories name: the entities of a namespace, each with how many served memories name it. A memory that is deleted,
 * replaced or over is counted no more from that moment on.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { scopeFields, writerFields } from "./MemoryFields.ts"

export const EntityList = make("entity.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the named things that served memories mention, each with how many memories name it.",
    when: "You want to know what a namespace is about, or how a name is stored before you filter by it.",
    whenNot: "You want the memories themselves (memory.list with entity_filter, or memory.search).",
    args:
      "Names are in canonical form (lower case, no articles, the last word singular) and in order; prefix keeps those that begin so. Only memories that you may read are counted, and none of high sensitivity. agent, user_id and session_id narrow by writer. next_cursor goes on."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    prefix: Schema.optional(Schema.String.pipe(Schema.maxLength(128))),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 500))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    entities: Schema.Array(Schema.Struct({
      entity: Schema.String,
      /** Served memories that name it. */
      memories: Schema.Number
    })),
    next_cursor: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})
