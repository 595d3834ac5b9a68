/** The verbs that find turns of conversations: by a question (`conversation.search`), by words or by time (`memory.recall`). */
import * as Schema from "effect/Schema"
import { turnFields, TurnView } from "../conversation/ConversationFields.ts"
import { OptionalName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { ABSTAIN_CODES } from "./Gate.ts"

// A question, or a text to look up word for word; what is longer is a document.
const Query = Schema.String.pipe(Schema.maxLength(8_192))

export const ConversationSearch = make("conversation.search", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "Find the turns of conversations that speak to a question, best first, with the sentences that do.",
    when: "You need what somebody said, in his own words.",
    whenNot: "You want what is believed now (memory.search), or all turns of a session (conversation.get).",
    args:
      "since and until bound when it was said; role, speaker, session_ids, agent and user_id narrow. An empty answer says why (abstain_reason)."
  },
  payload: Schema.Struct({
    ...turnFields,
    session_ids: Schema.optional(Schema.Array(OptionalName).pipe(Schema.maxItems(256))),
    query: Query,
    top_k: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
    max_excerpt_chars: Schema.optional(Schema.Int.pipe(Schema.between(20, 1_200)))
  }),
  answer: Schema.Struct({
    results: Schema.Array(
      Schema.Struct({
        ...TurnView.pick(
          "turn_id",
          "namespace",
          "agent",
          "user_id",
          "session_id",
          "role",
          "speaker",
          "content_sha256",
          "at",
          "recorded_at",
          "run_id",
          "source_resource_id"
        ).fields,
        /** The sentences of the turn that say most of what is asked, verbatim; ` […] ` stands where some are left out. */
        content_excerpt: Schema.String,
        /** Whether the turn says more than the excerpt. */
        content_truncated: Schema.Boolean,
        /** Where they stand in the content, UTF-16 offsets from start to before end. */
        excerpt_parts: Schema.Array(Schema.Struct({ start: Schema.Number, end: Schema.Number })),
        /** 0 to 1, by which the results are ordered: the share of what a turn could reach. */
        score: Schema.Number,
        /** The chance, 0 to 1, that the turn is evidence for the answer, from what it holds itself. */
        relevance: Schema.Number,
        /** Cosine of the question with the turn; null when no vectors were compared. */
        similarity: Schema.NullOr(Schema.Number)
      })
    ),
    abstain: Schema.Boolean,
    abstain_code: Schema.NullOr(Schema.Literal(...ABSTAIN_CODES)),
    abstain_reason: Schema.NullOr(Schema.String),
    /** The highest relevance of a turn that was looked at. */
    retrieval_confidence: Schema.Number,
    candidates_total: Schema.Number,
    advisories: Schema.optional(Schema.Array(Schema.String)),
    degraded: Schema.Array(Schema.String)
  })
})

export const MemoryRecall = make("memory.recall", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "Read turns of conversations by the words they hold or by when they were said.",
    when: "You want every turn that names something, or what was said in a span of time.",
    whenNot: "You ask a question (conversation.search), or want what is believed (memory.search).",
    args:
      "match: any of the query's words, all of them, or the phrase. order=time lists the newest first and pages by cursor; order=relevance gives the best top_k. thread is the session. max_chars cuts each content."
  },
  payload: Schema.Struct({
    ...turnFields,
    thread: Schema.optional(OptionalName),
    query: Schema.optional(Query),
    match: Schema.optional(Schema.Literal("any", "all", "phrase")),
    order: Schema.optional(Schema.Literal("time", "relevance")),
    top_k: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText),
    max_chars: Schema.optional(Schema.Int.pipe(Schema.between(20, 100_000)))
  }),
  answer: Schema.Struct({
    turns: Schema.Array(
      Schema.Struct({
        ...TurnView.fields,
        /** Set when they are ordered by relevance. */
        relevance: Schema.NullOr(Schema.Number)
      })
    ),
    /** Turns that match, whatever the page. */
    total: Schema.Number,
    order: Schema.Literal("time", "relevance"),
    next_cursor: Schema.NullOr(Schema.String),
    advisories: Schema.optional(Schema.Array(Schema.String)),
    degraded: Schema.Array(Schema.String)
  })
})
