/**
 * The verb that takes a transcript, and those that show and move the queue of extractions. What an answer tells of facts are
 * keys, ids and codes; the memories themselves are read like any others.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { scopeFields, TimeText, writeFields, writerFields } from "../memory/MemoryFields.ts"
import { CursorText } from "../platform/Cursors.ts"
import { ExtractorChoice, FactReceipt, ForgetReceipt, JobState, RefusalReceipt } from "./ExtractionJobModel.ts"

const Time = Schema.NullOr(Schema.String)

const outcome = {
  /** Facts that were put to the judge, and what it made of each. */
  written: Schema.Array(FactReceipt),
  /** Facts that are not stored, each with a code. */
  refused: Schema.Array(RefusalReceipt),
  forgotten_keys: Schema.Array(Schema.String),
  forget_requests: Schema.Array(ForgetReceipt),
  /** How many of the facts are about somebody other than the user or who spoke. */
  about_other: Schema.Number,
  /** `rules`, or the model as its server names it; null as long as nobody has extracted. */
  extractor: Schema.NullOr(Schema.String),
  segments: Schema.Number,
  tokens_in: Schema.Number,
  tokens_out: Schema.Number
}

export const MemorySetFromMessages = make("memory.set_from_messages", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: true,
  itemsField: "messages",
  teaching: {
    what:
      "Remember a conversation: its turns are stored as evidence, and the durable facts in them become memories, one short fact a key.",
    when: "A conversation, or the part of one since the last call, holds what later sessions should know.",
    whenNot: "You know the fact yourself (memory.set), or want the log alone (conversation.append).",
    args:
      "messages[] are {role, content, speaker?, at?}, in order; give at, or observation_date, so that `last week` is dated and a later statement wins over an earlier one. The same transcript again changes nothing and is answered the same. deferred=true means that extraction waits in the queue under queue_id (extraction.get). extractor=rules asks no language model; extractor=model waits for one. dry_run=true stores nothing."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    /** Messages are checked one by one, so that one bad message does not refuse the others. */
    messages: Schema.Array(Schema.Unknown).pipe(Schema.minItems(1), Schema.maxItems(1000)),
    observation_date: Schema.optional(TimeText),
    user_name: Schema.optional(Schema.String.pipe(Schema.maxLength(256))),
    extractor: Schema.optional(ExtractorChoice),
    max_tokens: Schema.optional(Schema.Int.pipe(Schema.between(64, 32_000))),
    defer: Schema.optional(Schema.Boolean),
    dry_run: Schema.optional(Schema.Boolean)
  }),
  answer: Schema.Struct({
    ...outcome,
    /** Whether every message and every fact was taken, nothing failed and nothing waits. */
    ok: Schema.Boolean,
    turns_stored: Schema.Number,
    /** Turns that were stored before. */
    turns_known: Schema.Number,
    turns_refused: Schema.Array(
      Schema.Struct({ index: Schema.Number, code: Schema.String, message: Schema.String })
    ),
    /** The turns of the transcript, in order. */
    evidence_ids: Schema.Array(Schema.String),
    deferred: Schema.Boolean,
    /** `request`, `no_model`, `time`, `failure`, or `queue` when it waited already. */
    deferred_by: Schema.NullOr(Schema.Literal("request", "no_model", "time", "failure", "queue")),
    queue_id: Schema.NullOr(Schema.String),
    state: Schema.NullOr(JobState),
    retry_at: Time,
    observation_date_source: Schema.Literal("messages", "request", "none"),
    /** Arguments that had no effect. */
    ignored_args: Schema.Array(Schema.String),
    /** What failed and is tried again, or waits for a person. */
    pipeline_errors: Schema.Array(Schema.Struct({ code: Schema.String })),
    advisories: Schema.Array(Schema.String),
    dry_run: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})

/** A job as a caller sees it. */
export const JobView = Schema.Struct({
  queue_id: Schema.String,
  state: JobState,
  /** The error code of the last failure. */
  code: Schema.NullOr(Schema.String),
  tries: Schema.Number,
  retry_at: Time,
  extractor: ExtractorChoice,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  run_id: Schema.String,
  turns: Schema.Number,
  written: Schema.Number,
  refused: Schema.Number,
  created_at: Schema.String,
  updated_at: Schema.String
})
export type JobView = typeof JobView.Type

const QueueId = Schema.String.pipe(
  Schema.pattern(/^ext_[0-9a-f]{32}$/, { message: () => "is no id of the queue (queue_id)" })
)

export const ExtractionList = make("extraction.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the extractions of transcripts: what waits, what failed, what is done, and how many there are of each.",
    when: "You want to know whether transcripts became memories, or what needs a person.",
    whenNot: "You know the queue_id (extraction.get).",
    args: "Oldest first. states narrows; failed ones are dead letters (extraction.retry, extraction.drop)."
  },
  payload: Schema.Struct({
    ...scopeFields,
    user_id: writerFields.user_id,
    session_id: writerFields.session_id,
    states: Schema.optional(Schema.Array(JobState).pipe(Schema.minItems(1), Schema.maxItems(6))),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 500))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    jobs: Schema.Array(JobView),
    /** Of all states, whatever the filter. */
    counts: Schema.Array(
      Schema.Struct({ state: JobState, jobs: Schema.Number, oldest_age_seconds: Schema.Number })
    ),
    next_cursor: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

export const ExtractionGet = make("extraction.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Tell how the extraction of one transcript stands, with a receipt for each of its facts.",
    when: "memory.set_from_messages answered deferred=true, or refused a fact.",
    whenNot: "You look for the memories themselves (memory.search).",
    args: "queue_id is the one of that answer."
  },
  payload: Schema.Struct({ ...scopeFields, user_id: writerFields.user_id, queue_id: QueueId }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    job: Schema.NullOr(JobView),
    evidence_ids: Schema.Array(Schema.String),
    ...outcome,
    degraded: Schema.Array(Schema.String)
  })
})

const moving = {
  payload: Schema.Struct({ ...scopeFields, user_id: writerFields.user_id, queue_id: QueueId }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    /** Whether this request changed it. */
    changed: Schema.Boolean,
    state: Schema.NullOr(JobState)
  })
}

export const ExtractionRetry = make("extraction.retry", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Have an extraction tried again that failed, waits or was dropped.",
    when: "extraction.list shows it as failed and the cause is mended, or it need not wait any longer.",
    whenNot: "It is done: the same transcript changes nothing.",
    args: "changed=false means that it is done, or in the queue already."
  },
  ...moving
})

export const ExtractionDrop = make("extraction.drop", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: false,
  destructive: true,
  teaching: {
    what: "Let an extraction go that is not done: nobody tries it any more. Its turns stay.",
    when: "A transcript should not become memories after all.",
    whenNot: "The turns should go too (conversation.delete).",
    args: "What it wrote before it failed stays; extraction.retry takes it up again."
  },
  ...moving
})
