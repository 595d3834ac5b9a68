/**
 * The verbs that change how a stored row stands, each for one row or a few named ones: pin, lock, touch, reject, verify.
 * A key that is not there and one that the token may not read answer alike, with `found` false.
 */
import * as Schema from "effect/Schema"
import { MemoryKey } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { itemFields, rowFields, Sha256, TimeText, Trace, TtlSeconds, WriteAnswer, writeFields } from "./MemoryFields.ts"

/** A reason as a person gives it; it stands in the history. */
export const Reason = Schema.String.pipe(Schema.maxLength(512))

/** Every write takes one: the same key with the same request gives the first answer for 24 hours. */
export const onceField = { idempotency_key: writeFields.idempotency_key }

export const dryRunField = { dry_run: Schema.optional(Schema.Boolean) }

/** When a row leaves service, and what becomes of it then. */
export const expiryFields = {
  ttl_seconds: Schema.optional(Schema.NullOr(TtlSeconds)),
  clear_expiry: Schema.optional(Schema.Boolean),
  on_expire: itemFields.on_expire,
  expire_reason: Schema.optional(Trace)
}

/** How long a lock holds: neither means until somebody takes it away. */
export const lockFields = {
  until: Schema.optional(TimeText),
  ttl_seconds: Schema.optional(TtlSeconds)
}

const { pinned: _, ...standing } = WriteAnswer.fields
/** The row after the change, beside what the verb itself says; absent when there is none. */
const rowAfter = Schema.partial(Schema.Struct(standing))
const isPinned = Schema.optional(Schema.Boolean)

const { memory_key: _key, value: _value, ...stated } = itemFields

export const MemoryPin = make("memory.pin", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: true,
  teaching: {
    what:
      "Store a fact and pin it, or pin the row that is stored: no later write that does not itself pin replaces it.",
    when: "The user said that something holds, and no later guess may replace it.",
    whenNot: "The fact is one among others (memory.set), or nothing at all may change it (memory.lock).",
    args:
      "With a value it takes every field of memory.set and writes under memory_key, over a pinned value too. Without a value it pins the row of memory_key or memory_id as it is; pinned=false takes the pin off. found=false means there is no such row."
  },
  payload: Schema.Struct({
    ...rowFields,
    ...writeFields,
    ...stated,
    value: Schema.optional(itemFields.value),
    ...dryRunField
  }),
  answer: Schema.Struct({ found: Schema.Boolean, pinned: Schema.Boolean }).pipe(Schema.extend(rowAfter))
})

export const MemoryLock = make("memory.lock", {
  access: "write",
  // A time to live counts from each request.
  idempotent: false,
  writes: true,
  listed: true,
  teaching: {
    what:
      "Lock a memory against change (read_only) or against deletion alone (no_delete); guarded writes answer LOCKED.",
    when: "A fact must hold through an audit, a migration or until a date, whoever writes.",
    whenNot: "Writes that do not pin must not replace it, but people may correct it (memory.pin).",
    args:
      "mode is read_only by default; none unlocks. until or ttl_seconds ends the lock by itself. reason is needed to lock and is told to whoever meets the lock. Only an admin loosens a lock: a weaker mode or an earlier end."
  },
  payload: Schema.Struct({
    ...rowFields,
    ...onceField,
    mode: Schema.optional(Schema.Literal("read_only", "no_delete", "none")),
    ...lockFields,
    reason: Schema.optional(Reason),
    ...dryRunField
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    /** Whether the row is locked now. */
    locked: Schema.Boolean,
    lock_mode: Schema.NullOr(Schema.String),
    /** Null while locked means without an end. */
    lock_until: Schema.NullOr(Schema.String),
    pinned: isPinned
  }).pipe(Schema.extend(rowAfter))
})

const Keys = Schema.Array(MemoryKey).pipe(Schema.minItems(1), Schema.maxItems(500))
const Ids = Schema.Array(Schema.String).pipe(Schema.minItems(1), Schema.maxItems(500))

/** What became of one row of several. */
export const RowOutcome = Schema.Struct({
  memory_key: Schema.NullOr(Schema.String),
  memory_id: Schema.NullOr(Schema.String),
  outcome: Schema.Literal("changed", "unchanged", "not_found", "refused", "failed"),
  /** Set for refused and failed rows. */
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  /** What the refusal met: the mode, end and reason of a lock, the writers of an ambiguous key. */
  facts: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  status: Schema.NullOr(Schema.String),
  version_text: Schema.NullOr(Schema.String)
})
export type RowOutcome = typeof RowOutcome.Type

/** How many rows ended how; `ok` only when none was refused, failed or missing. */
export const countFields = {
  changed: Schema.Number,
  unchanged: Schema.Number,
  not_found: Schema.Number,
  refused: Schema.Number,
  ok: Schema.Boolean
}

export const MemoryTouch = make("memory.touch", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Give rows a new expiry, or take it away; content, pin and tags stay.",
    when: "Facts proved useful and must live longer, or a fact is to end at a time.",
    whenNot: "The fact is wrong (memory.update, memory.reject) or must go now (memory.delete).",
    args:
      "One of memory_key, memory_id, memory_keys, memory_ids (up to 500). ttl_seconds counts from now; clear_expiry=true keeps the row for good; what is not given stays. Whatever on_expire says, a row leaves the served set at its expiry; memory.list finds it with include_expired, and a new expiry serves it again (after demote with half of its confidence). One row named by itself answers LOCKED or AMBIGUOUS_KEY as an error; of several, each is answered in its place."
  },
  payload: Schema.Struct({
    ...rowFields,
    ...onceField,
    memory_keys: Schema.optional(Keys),
    memory_ids: Schema.optional(Ids),
    ...expiryFields,
    ...dryRunField
  }),
  answer: Schema.Struct({
    /** Whether any of the rows is there. */
    found: Schema.Boolean,
    ...countFields,
    /** In the order of the request. */
    results: Schema.Array(Schema.extend(RowOutcome, Schema.Struct({ index: Schema.Number }))),
    /** The new expiry; absent when the request leaves the expiry as it is. */
    expires_at: Schema.optional(Schema.NullOr(Schema.String)),
    dry_run: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})

export const MemoryReject = make("memory.reject", {
  access: "write",
  idempotent: true,
  destructive: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Mark a claim as wrong: it is served no more, its duplicates with it, and no import or extraction brings it back.",
    when: "A stored claim is false, and learning it again would be a mistake.",
    whenNot: "The fact changed (memory.set) or is merely not needed (memory.delete).",
    args: "memory_key or memory_id; reason stands in the history. An explicit memory.set brings the claim back."
  },
  payload: Schema.Struct({ ...rowFields, ...onceField, reason: Schema.optional(Reason), ...dryRunField }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    /** Whether the row is marked wrong now. */
    rejected: Schema.Boolean,
    pinned: isPinned,
    /** Memories derived from it that went with it, since no source of theirs is left; left out when nothing was rejected. */
    dependents_tombstoned: Schema.optional(Schema.Number),
    /** Memories derived from it and from others that are there: they are contested now. */
    dependents_downgraded: Schema.optional(Schema.Number)
  }).pipe(Schema.extend(rowAfter))
})

export const MemoryVerify = make("memory.verify", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Vouch for a memory's content as it stands. The attestation is bound to the content's hash: an edit makes it stale.",
    when: "A person or a check has confirmed the fact.",
    whenNot: "You only read it, or it should not change (memory.lock).",
    args:
      "memory_key or memory_id. Pass content_sha256 with the hash you looked at, so that nobody's later edit is vouched for. Who attests is taken from the token."
  },
  payload: Schema.Struct({ ...rowFields, ...onceField, content_sha256: Schema.optional(Sha256), ...dryRunField }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    verified: Schema.Boolean,
    /** `human` or `process`, by the token; `none` when nothing was found. */
    verification: Schema.Literal("human", "process", "none"),
    verified_by: Schema.NullOr(Schema.String),
    pinned: isPinned
  }).pipe(Schema.extend(rowAfter))
})
