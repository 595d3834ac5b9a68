/**
 * Digests as a caller may see them: what the memories of a session say together. A digest is shown while each memory it was
 * made from stands as it was then, as a search is led by it.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { scopeFields, writerFields } from "../memory/MemoryFields.ts"
import { CursorText } from "../platform/Cursors.ts"

export const MemoryDigests = make("memory.digests", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the digests of sessions: what the memories of each say together, and which memories those are.",
    when: "You want to know what sessions were about without reading every memory.",
    whenNot: "You look for an answer (memory.search, which digests lead to their memories anyway).",
    args:
      "A digest is made in the background of every session with at least three memories once it was quiet for some minutes, and made anew when one of them changes. It is derived: cite the memories under memory_keys, not its text. agent, user_id and session_id narrow. A page may hold fewer than limit; next_cursor goes on."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    digests: Schema.Array(Schema.Struct({
      digest_id: Schema.String,
      agent: Schema.String,
      user_id: Schema.String,
      session_id: Schema.String,
      /** The memories it was made from, in the order in which it tells of them. */
      memory_keys: Schema.Array(Schema.String),
      text: Schema.String,
      source_class: Schema.Literal("derived"),
      created_at: Schema.String
    })),
    next_cursor: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})
