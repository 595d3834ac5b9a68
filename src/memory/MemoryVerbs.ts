/**
 * The memory verbs, each declared once. Reads and writes share the fields of `MemoryFields`; what a verb does with
 * them is in `MemoryPlan` (writes) and `MemoryReads` (reads).
 */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { asOfAnswer, asOfFields } from "./AsOfFields.ts"
import { Cause } from "./MemoryCause.ts"
import {
  itemFields,
  MemoryTypeName,
  scopeFields,
  Sha256,
  statementFields,
  TimeText,
  Value,
  WriteAnswer,
  writeFields,
  writerFields
} from "./MemoryFields.ts"
import { MemoryView } from "./MemoryViewFields.ts"

export const MemorySet = make("memory.set", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: true,
  teaching: {
    what:
      "Learn one fact under a readable key. The write is judged against what is stored; the answer says what it met.",
    when: "A fact will still be true next week and another session needs it.",
    whenNot:
      "Current plans and cursors (working memory), transcripts, documents over a few kilobytes, or a list of unrelated facts.",
    args:
      "memory_key is `<scope>/<kind>/<id>` and names one attribute of one subject (`project/loom/deploy-window`): one fact a key. To revise, write the same key again; never add `-v2` and never make a key from the value or a hash. Put facets in tags and named things in entities, not in the key. dry_run=true runs every check and writes nothing."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    ...itemFields,
    dry_run: Schema.optional(Schema.Boolean),
    proposed: Schema.optional(Schema.Boolean)
  }),
  answer: WriteAnswer
})

export const MemoryBulkSet = make("memory.bulk_set", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  itemsField: "items",
  teaching: {
    what: "Write up to 500 facts at once; each is judged and answered on its own, in input order.",
    when: "Several facts are known at the same time.",
    whenNot: "A single fact (memory.set) or a transcript.",
    args:
      "items[] take the fields of memory.set. A partial failure shows per item, never as a bare success. The answer is kept under the idempotency_key as a whole: send items that failed again under a fresh key."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    /** Items are checked one by one, so that one bad item does not refuse the others. */
    items: Schema.Array(Schema.Unknown).pipe(Schema.minItems(1), Schema.maxItems(500)),
    dry_run: Schema.optional(Schema.Boolean)
  }),
  answer: Schema.Struct({
    results: Schema.Array(Schema.Struct({
      index: Schema.Number,
      memory_key: Schema.NullOr(Schema.String),
      outcome: Schema.Literal("stored", "merged", "duplicate", "refused", "failed"),
      /** Set for refused and failed items. */
      code: Schema.NullOr(Schema.String),
      message: Schema.NullOr(Schema.String),
      /** The answer memory.set would have given; null for refused and failed items. */
      answer: Schema.NullOr(WriteAnswer)
    })),
    stored: Schema.Number,
    merged: Schema.Number,
    duplicates: Schema.Number,
    refused: Schema.Number,
    failed: Schema.Number,
    ok: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})

/** One item of a bulk write. */
export const BulkItem = Schema.Struct({ ...writerFields, run_id: writeFields.run_id, ...itemFields })
export type BulkItem = typeof BulkItem.Type

const UpdateAnswer = Schema.Struct({
  updated: Schema.Boolean,
  /**
   * `not_found` or `expired` when no live row answers the key or id (`next` then says what to do about one that is out of
   * service), `unchanged` when it already is as asked.
   */
  reason: Schema.NullOr(Schema.String)
}).pipe(Schema.extend(Schema.partial(WriteAnswer)))

const changeFields = {
  ...scopeFields,
  ...writeFields,
  value: Schema.optional(Value),
  ...statementFields,
  if_match_sha256: Schema.optional(Sha256),
  dry_run: Schema.optional(Schema.Boolean)
}

export const MemoryUpdate = make("memory.update", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: true,
  teaching: {
    what:
      "Correct a stored fact by key. Tags, confidence, expiry, pin, lock and history are kept; only given fields change.",
    when: "A known key holds a value that is no longer right.",
    whenNot: "A new fact, or one that changed: memory.set under its key keeps the old value for its own time.",
    args:
      "The key is resolved across the whole namespace; AMBIGUOUS_KEY lists the writers when several hold it. Pass if_match_sha256 with the hash you read, so that a concurrent edit is not lost. The value of a deleted or rejected claim, stated again, brings it back; advisories say so."
  },
  payload: Schema.Struct({ memory_key: MemoryKey, ...writerFields, ...changeFields }),
  answer: UpdateAnswer
})

export const MemoryUpdateById = make("memory.update_by_id", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Correct one row by its memory_id.",
    when: "A search or list gave the id of a row that is wrong.",
    whenNot: "Only the key is known (memory.update)."
  },
  payload: Schema.Struct({ memory_id: Schema.String, ...changeFields }),
  answer: UpdateAnswer
})

export const MemoryDelete = make("memory.delete", {
  access: "write",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: true,
  teaching: {
    what: "Tombstone a memory by key or id, across every agent and session of the namespace.",
    when: "A fact must no longer be served.",
    whenNot: "The fact changed (memory.set) or its value was wrong (memory.update).",
    args:
      "tombstoned=false means nothing was deleted. What was derived from it alone goes with it (dependents_tombstoned), what has other sources is contested (dependents_downgraded). memory.restore brings all of it back within 14 days."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String),
    reason: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    if_match_sha256: Schema.optional(Sha256)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    tombstoned: Schema.Boolean,
    /** How many rows the delete took out of service. */
    count: Schema.Number,
    memory_ids: Schema.Array(Schema.String),
    version_text: Schema.NullOr(Schema.String),
    /** Memories derived from it that went with it, since no source of theirs is left. */
    dependents_tombstoned: Schema.Number,
    /** Memories derived from it and from others that are there: they are contested now. */
    dependents_downgraded: Schema.Number,
    degraded: Schema.Array(Schema.String)
  })
})

export const MemoryRestore = make("memory.restore", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Revive a tombstoned memory within 14 days of its delete.",
    when: "A delete was a mistake.",
    whenNot: "More than 14 days passed: write the fact anew with memory.set."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...writeFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    restored: Schema.Boolean,
    reason: Schema.NullOr(Schema.String),
    /** Derived memories that had gone with it as the last of their sources, and are back with it; left out when none. */
    dependents_restored: Schema.optional(Schema.Number)
  }).pipe(Schema.extend(Schema.partial(WriteAnswer)))
})

const GetAnswer = Schema.Struct({
  found: Schema.Boolean,
  /** True when `if_version` still is the current version; the row is then left out. */
  unchanged: Schema.optional(Schema.Boolean),
  /** How many further rows the key has under other writers the caller may read. */
  other_writers: Schema.optional(Schema.Number),
  /** The key asked for, when `follow` led to the row that answers for it. */
  resolved_from: Schema.optional(Schema.String),
  /** The key of the row that answers in its place today; null when none does. */
  canonical_key: Schema.optional(Schema.NullOr(Schema.String)),
  /** What runs and outcomes said of it, with `include_usage`; who said so is told to nobody. */
  used_count: Schema.optional(Schema.Number),
  harm_count: Schema.optional(Schema.Number),
  /** Null when it was never reported on. */
  last_used_at: Schema.optional(Schema.NullOr(Schema.String)),
  ...asOfAnswer,
  degraded: Schema.Array(Schema.String)
}).pipe(Schema.extend(Schema.partial(MemoryView)))

const FieldNames = Schema.Array(Schema.Literal(...Object.keys(MemoryView.fields)))

export const MemoryGet = make("memory.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "Read one memory by its exact key.",
    when: "The key is known.",
    whenNot: "Only the topic is known (memory.search).",
    args:
      "agent, user_id and session_id narrow; left out, the newest live row under the key answers and other_writers counts the rest. A miss is found=false; a row that was replaced says by status and canonical_key what answers for it, and follow=true reads that. as_of asks what was true at a time, with as_of_basis=knowledge_time what was served then. include_usage tells how often runs relied on it."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    memory_key: MemoryKey,
    ...asOfFields,
    if_version: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))),
    fields: Schema.optional(FieldNames),
    follow: Schema.optional(Schema.Boolean),
    include_usage: Schema.optional(Schema.Boolean)
  }),
  answer: GetAnswer
})

export const MemoryGetById = make("memory.get_by_id", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Read one memory by its memory_id.",
    when: "An answer named the id.",
    whenNot: "The key is known (memory.get)."
  },
  payload: Schema.Struct({
    ...scopeFields,
    memory_id: Schema.String,
    ...asOfFields,
    fields: Schema.optional(FieldNames)
  }),
  answer: GetAnswer
})

export const MemoryList = make("memory.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "List memories of the namespace by filter, newest first, page by page.",
    when: "You need an overview, a key prefix, a tag or the episodic log.",
    whenNot: "You look for an answer to a question (memory.search).",
    args:
      "tags matches any of the tags in any case, tags_every all of them exactly; an empty list is no filter. run_id lists what a run wrote, what another run had said before it included. next_cursor walks on; it is stable while rows are added or removed. as_of lists what was true at a time, with as_of_basis=knowledge_time what was served then. Poll with known_version."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    run_id: writeFields.run_id,
    prefix: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    memory_type: Schema.optional(MemoryTypeName),
    source_trace: Schema.optional(Schema.String),
    tags: Schema.optional(Schema.Array(Schema.String)),
    tags_every: Schema.optional(Schema.Array(Schema.String)),
    entity_filter: Schema.optional(Schema.Array(Schema.String)),
    contains: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    pinned_only: Schema.optional(Schema.Boolean),
    conflicted_only: Schema.optional(Schema.Boolean),
    include_tombstoned: Schema.optional(Schema.Boolean),
    include_duplicates: Schema.optional(Schema.Boolean),
    include_superseded: Schema.optional(Schema.Boolean),
    include_proposed: Schema.optional(Schema.Boolean),
    /** Rows whose expiry or validity has ended, beside the others. */
    include_expired: Schema.optional(Schema.Boolean),
    ...asOfFields,
    /** `version_text` of an earlier answer: when nothing changed since, `unchanged` says so and no rows are listed. */
    known_version: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
    offset: Schema.optional(Schema.Int.pipe(Schema.between(0, 1_000_000))),
    cursor: Schema.optional(CursorText),
    count_only: Schema.optional(Schema.Boolean),
    preview_chars: Schema.optional(Schema.Int.pipe(Schema.between(0, 100_000))),
    sort_by: Schema.optional(Schema.Literal("created_at", "updated_at", "memory_key")),
    fields: Schema.optional(FieldNames)
  }),
  answer: Schema.Struct({
    memories: Schema.Array(Schema.partial(MemoryView)),
    /** Rows that match the filter, whatever the page. */
    total: Schema.Number,
    next_cursor: Schema.NullOr(Schema.String),
    /** Grows with every change a list of these writers can show; absent on a read of the past. */
    version_text: Schema.optional(Schema.String),
    unchanged: Schema.optional(Schema.Boolean),
    ...asOfAnswer,
    degraded: Schema.Array(Schema.String)
  })
})

export const MemoryHistory = make("memory.history", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what: "Every version of a key, newest first, deleted and retired ones included.",
    when: "You ask what was believed before, or who changed it.",
    whenNot: "You need the current value (memory.get).",
    args: "limit (50 by default) and before_version page through older versions."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    memory_key: Schema.optional(MemoryKey),
    memory_id: Schema.optional(Schema.String),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
    before_version: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,20}$/)))
  }),
  answer: Schema.Struct({
    versions: Schema.Array(
      Schema.Struct({
        change: Schema.String,
        write_id: Schema.String,
        /** The write, rule and evidence behind a change on another row's account; null for the row's own writes. */
        cause: Schema.NullOr(Cause)
      }).pipe(Schema.extend(Schema.partial(MemoryView)))
    ),
    next_before_version: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

/** Re-exported so that a slice above can take a time the same way. */
export { TimeText }
