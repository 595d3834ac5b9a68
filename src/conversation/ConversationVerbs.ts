/**
 * The verbs that keep conversations: append, get, list and delete, each declared once. Turns are evidence of what was said
 * and not beliefs, so none of them is judged.
 */
import * as Schema from "effect/Schema"
import { Name, OptionalName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { scopeFields, writeFields, writerFields } from "../memory/MemoryFields.ts"
import { CursorText } from "../platform/Cursors.ts"
import { turnFields, TurnView } from "./ConversationFields.ts"

/** Messages of one request: hours of talk; a longer transcript is sent in parts. */
export const MOST_MESSAGES = 1_000

const TurnId = Schema.String.pipe(Schema.maxLength(64))

export const ConversationAppend = make("conversation.append", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: true,
  itemsField: "messages",
  teaching: {
    what:
      "Store turns of a conversation as evidence: who said what, when, in which session. They are searchable at once.",
    when: "A conversation should be found again as it was said.",
    whenNot: "A fact that another session needs (memory.set), or a document.",
    args:
      "messages[] are {role: user|assistant|system|tool, content, speaker?, at?, source_resource_id?} in their order, at most 1,000 and 1 MiB each. Each is answered on its own: stored, known or refused. A message with `at` (its time) that was stored before is known and stored once; one without a time is stored anew each time unless the request has the same idempotency_key."
  },
  payload: Schema.Struct({
    ...scopeFields,
    agent: writerFields.agent,
    user_id: writerFields.user_id,
    session_id: Name,
    ...writeFields,
    /** Messages are checked one by one, so that a bad one does not refuse the others. */
    messages: Schema.Array(Schema.Unknown).pipe(Schema.minItems(1), Schema.maxItems(MOST_MESSAGES))
  }),
  answer: Schema.Struct({
    namespace: Schema.String,
    session_id: Schema.String,
    /** One for each message, in their order. */
    receipts: Schema.Array(Schema.Struct({
      index: Schema.Number,
      outcome: Schema.Literal("stored", "known", "refused"),
      turn_id: Schema.NullOr(Schema.String),
      /** Whether its sensitivity is high, so that it is read by its id alone. */
      withheld: Schema.Boolean,
      /** Set for refused messages. */
      code: Schema.NullOr(Schema.String),
      message: Schema.NullOr(Schema.String)
    })),
    /** The ids of stored and known turns, in their order. */
    turn_ids: Schema.Array(Schema.String),
    stored: Schema.Number,
    known: Schema.Number,
    refused: Schema.Number,
    /** Whether every message is there now. */
    ok: Schema.Boolean,
    advisories: Schema.Array(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

export const ConversationGet = make("conversation.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Read the turns of one session in their order, page by page, or one turn by its id.",
    when: "You know the session or the turn.",
    whenNot: "You look for what was said about something (conversation.search, memory.recall).",
    args:
      "session_id or turn_id. A turn whose content is withheld is shown by turn_id alone, and that read is audited. order=newest begins at the end."
  },
  payload: Schema.Struct({
    ...turnFields,
    turn_id: Schema.optional(TurnId),
    order: Schema.optional(Schema.Literal("oldest", "newest")),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    turns: Schema.Array(TurnView),
    /** Turns that match, whatever the page. */
    total: Schema.Number,
    next_cursor: Schema.NullOr(Schema.String),
    advisories: Schema.optional(Schema.Array(Schema.String)),
    degraded: Schema.Array(Schema.String)
  })
})

export const ConversationList = make("conversation.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the sessions that have turns, the one with the latest turn first, with counts, speakers and times.",
    when: "You need an overview of conversations.",
    whenNot: "You want their turns (conversation.get).",
    args: "Filters choose turns, and a session is listed with those that match."
  },
  payload: Schema.Struct({
    ...turnFields,
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    sessions: Schema.Array(Schema.Struct({
      namespace: Schema.String,
      agent: Schema.String,
      user_id: Schema.String,
      session_id: Schema.String,
      turns: Schema.Number,
      /** Names of who spoke, and the role of those without one. */
      speakers: Schema.Array(Schema.String),
      /** Of when turns were said, else stored. */
      first_at: Schema.String,
      last_at: Schema.String
    })),
    next_cursor: Schema.NullOr(Schema.String),
    advisories: Schema.optional(Schema.Array(Schema.String)),
    degraded: Schema.Array(Schema.String)
  })
})

export const ConversationDelete = make("conversation.delete", {
  access: "write",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Delete a whole session, or single turns, with every copy that searches read. It cannot be taken back.",
    when: "What was said must not be kept.",
    whenNot: "A fact drawn from it is wrong (memory.delete, memory.update): facts stay when their turns go.",
    args:
      "session_id (narrowed by agent and user_id) or turn_ids. deleted=0 means nothing was there. memories_resting counts the memories that were drawn from the turns; memory.evidence says of them that their evidence is gone."
  },
  payload: Schema.Struct({
    ...scopeFields,
    agent: writerFields.agent,
    user_id: writerFields.user_id,
    session_id: Schema.optional(OptionalName),
    turn_ids: Schema.optional(Schema.Array(TurnId).pipe(Schema.minItems(1), Schema.maxItems(MOST_MESSAGES))),
    ...writeFields,
    reason: Schema.optional(Schema.String.pipe(Schema.maxLength(512)))
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    deleted: Schema.Number,
    /** Of the turn_ids asked for, those that were not there. */
    not_found: Schema.Number,
    /** Memories that were recorded as drawn from the turns that went. */
    memories_resting: Schema.Number,
    degraded: Schema.Array(Schema.String)
  })
})
