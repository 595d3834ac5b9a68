/**
 * The messages of the namespace actor: one per write verb, made by the edge from a validated, authorised and embedded
 * request. They carry everything a decision needs; the actor adds only what is stored. One RPC per verb, with the verb's
 * own answer and errors, so that the actor and the public API cannot drift apart.
 */
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { LoomError } from "../kernel/LoomError.ts"
import { bare } from "../kernel/Verb.ts"
import { Content } from "./MemoryContent.ts"
import { WriteAnswer } from "./MemoryFields.ts"
import { LockMode, MemoryRow, Sensitivity, SourceClass } from "./MemoryModel.ts"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate, MemoryUpdateById } from "./MemoryVerbs.ts"

const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Millis = Schema.NullOr(Schema.Number)
const Texts = Schema.Array(Schema.String)

/** A row as it travels between processes: its 64-bit integers as text. */
export const StoredVersion = Schema.Struct({
  ...MemoryRow.fields,
  version: Schema.BigInt,
  epoch: Schema.BigInt,
  seq: Schema.BigInt
})
export type StoredVersion = typeof StoredVersion.Type

/** What the server knows of a write beside its content. */
export const WriteMeta = Schema.Struct({
  write_id: Schema.String,
  /** Hash of the idempotency key; empty when the caller gave none. */
  idem_hash: Schema.String,
  payload_hash: Schema.String,
  actor: Schema.String,
  /** The one user whose rows the caller may read; null reads every user's. Answers name nobody else's rows. */
  bound_user: Schema.NullOr(Schema.String),
  source_class: SourceClass,
  run_id: Schema.String,
  dry_run: Schema.Boolean,
  advisories: Texts,
  degraded: Texts
})
export type WriteMeta = typeof WriteMeta.Type

/** What the caller stated beside key and value; a field left out is not stated. Times in milliseconds. */
export const Statement = Schema.Struct({
  tags: given(Texts),
  entities: given(Texts),
  relations: given(Schema.String),
  files: given(Texts),
  confidence: given(Schema.Number),
  source_trace: given(Schema.String),
  source_resource_id: given(Schema.String),
  expires_at: given(Millis),
  on_expire: given(Schema.String),
  expire_reason: given(Schema.String),
  valid_at: given(Millis),
  valid_to: given(Millis),
  /** The date the claim is about and how sure that is, 0 to 1; set by extraction alone. */
  temporal_anchor: given(Millis),
  temporal_confidence: given(Schema.NullOr(Schema.Number)),
  pinned: given(Schema.Boolean),
  char_limit: given(Schema.Number),
  memory_type: given(Schema.String),
  sensitivity: given(Sensitivity)
})
export type Statement = typeof Statement.Type

/** One fact to write under a key. */
export const SetItem = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  run_id: Schema.String,
  content: Content,
  statement: Statement,
  source_class: SourceClass,
  if_match_sha256: Schema.NullOr(Schema.String),
  proposed: Schema.Boolean,
  /** Nobody stated it outright: found in what was said, in whatever order that comes to us. Absent means stated. */
  inferred: given(Schema.Boolean),
  advisories: Texts,
  /** The rows it was derived from, as they were read: it is refused when one of them moved, and not compared with them. */
  rests_on: given(Schema.Array(Schema.Struct({ memory_id: Schema.String, version: Schema.String })))
})
export type SetItem = typeof SetItem.Type

/** A bulk item that was turned away before the actor. */
export const FailedItem = Schema.Struct({
  outcome: Schema.Literal("refused", "failed"),
  memory_key: Schema.NullOr(Schema.String),
  code: Schema.String,
  message: Schema.String
})
export type FailedItem = typeof FailedItem.Type

/** Which row a verb is about. A null writer field matches any writer; a bound token's user is always given. */
export const Target = Schema.Struct({
  memory_key: Schema.NullOr(Schema.String),
  memory_id: Schema.NullOr(Schema.String),
  agent: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String),
  session_id: Schema.NullOr(Schema.String)
})
export type Target = typeof Target.Type

export const SetCommand = Schema.TaggedStruct("memory.set", { meta: WriteMeta, item: SetItem })
export type SetCommand = typeof SetCommand.Type

export const BulkCommand = Schema.TaggedStruct("memory.bulk_set", {
  meta: WriteMeta,
  items: Schema.Array(Schema.Union(SetItem, FailedItem))
})
export type BulkCommand = typeof BulkCommand.Type

/** The row a content was prepared for; the actor answers STALE_VERSION when it is another by now. */
export const Assumed = Schema.Struct({
  memory_id: Schema.String,
  /** Empty when the content does not depend on the old value. */
  content_sha256: Schema.String,
  memory_type: Schema.String,
  sensitivity: Sensitivity
})
export type Assumed = typeof Assumed.Type

const updateFields = {
  meta: WriteMeta,
  target: Target,
  assumed: Assumed,
  /** Null when neither value, type nor sensitivity changes. */
  content: Schema.NullOr(Content),
  statement: Statement,
  if_match_sha256: Schema.NullOr(Schema.String),
  /** The content was prepared for a row that is out of service: stated again, its claim comes back. */
  revives: given(Schema.Boolean),
  /** That row was a proposal when it was deleted, and comes back as one. */
  proposed: given(Schema.Boolean)
}

export const UpdateCommand = Schema.TaggedStruct("memory.update", updateFields)
export type UpdateCommand = typeof UpdateCommand.Type
export const UpdateByIdCommand = Schema.TaggedStruct("memory.update_by_id", updateFields)
export type UpdateByIdCommand = typeof UpdateByIdCommand.Type

export const DeleteCommand = Schema.TaggedStruct("memory.delete", {
  meta: WriteMeta,
  target: Target,
  reason: Schema.String,
  if_match_sha256: Schema.NullOr(Schema.String)
})
export type DeleteCommand = typeof DeleteCommand.Type

export const RestoreCommand = Schema.TaggedStruct("memory.restore", {
  meta: WriteMeta,
  target: Target,
  assumed: Assumed,
  /** The value that comes back, prepared again so that it can be judged; null when the edge found no such row. */
  content: Schema.NullOr(Content),
  /** The row was a proposal when it was deleted, and comes back as one: nobody decided it. */
  proposed: given(Schema.Boolean),
  /** What went with the row as the last of its sources, prepared like it. */
  dependents: given(Schema.Array(Schema.Struct({ memory_id: Schema.String, content: Content })))
})
export type RestoreCommand = typeof RestoreCommand.Type

/**
 * One change to rows already stored, other than a new statement: what the lifecycle verbs, workers, sweeps and rollbacks
 * send. None of them inserts memory rows itself.
 */
export const Transition = Schema.Union(
  /** Out of service: a delete on somebody's behalf, or the end of an expiry. `rule` names what asked for it. */
  Schema.TaggedStruct("tombstone", {
    change: Schema.Literal("delete", "expire"),
    rule: Schema.String,
    reason: Schema.String
  }),
  /** Marked wrong, its duplicates with it. */
  Schema.TaggedStruct("reject", { reason: Schema.String }),
  Schema.TaggedStruct("pin", { pinned: Schema.Boolean }),
  /** `mode` empty unlocks. Loosening a lock needs `mayLoosen`. */
  Schema.TaggedStruct("lock", {
    mode: LockMode,
    until: Millis,
    reason: Schema.String,
    mayLoosen: Schema.Boolean
  }),
  /** What is left out stays as it is. */
  Schema.TaggedStruct("touch", {
    expires_at: given(Millis),
    on_expire: given(Schema.String),
    expire_reason: given(Schema.String)
  }),
  /**
   * What an expiry does to a row that is to be demoted: its confidence times the factor. The end stays, and what was due at it
   * is done.
   */
  Schema.TaggedStruct("demote", { factor: Schema.Number, rule: Schema.String }),
  /**
   * `entities`, in canonical form, take the place of those the row has. `rule` names what asked for it where nobody did: the
   * version then says so in its cause, which no caller can write.
   */
  Schema.TaggedStruct("label", {
    add_tags: Texts,
    remove_tags: Texts,
    entities: given(Texts),
    rule: given(Schema.String)
  }),
  /** Attests the content as it is; `content_sha256` is the hash that was looked at. */
  Schema.TaggedStruct("verify", {
    kind: Schema.Literal("human", "process"),
    by: Schema.String,
    content_sha256: Schema.NullOr(Schema.String)
  }),
  /** Takes a proposal into service; the item carries its content to be judged. */
  Schema.TaggedStruct("accept", {}),
  /** The row and the ones named hold side by side: the contradictions between them are taken away. */
  Schema.TaggedStruct("allow", { others: Texts, reason: Schema.String }),
  /** The row and another contradict each other: both name it from now on, and both stay served. */
  Schema.TaggedStruct("flag", { other: Schema.String, rule: Schema.String, reason: Schema.String }),
  /** The row and another do not contradict each other after all; unlike `allow`, nobody has decided it. */
  Schema.TaggedStruct("unflag", { other: Schema.String, rule: Schema.String, reason: Schema.String }),
  /** Replaced by another row. */
  Schema.TaggedStruct("retire", { by: Schema.String, rule: Schema.String, reason: Schema.String }),
  /** A new value for the row, judged like memory.update; the item carries the content. */
  Schema.TaggedStruct("correct", { assumed: Assumed, statement: Statement }),
  /** Back to an earlier version, as a new one; null takes out of service a row that was not there. */
  Schema.TaggedStruct("revert", { to: Schema.NullOr(StoredVersion) }),
  /** A row that is out of service loses its value for good; its hashes stay. Only for the content named. */
  Schema.TaggedStruct("scrub", { content_sha256: Schema.String })
)
export type Transition = typeof Transition.Type

export const TransitionItem = Schema.Struct({
  target: Target,
  /**
   * The version the caller went by; the actor answers STALE_VERSION when the row had another before this command. What
   * items before it in the same command did to the row is no surprise to the caller.
   */
  expected_version: Schema.NullOr(Schema.String),
  content: Schema.NullOr(Content),
  transition: Transition
})
export type TransitionItem = typeof TransitionItem.Type

/** At most 500 items; each is answered on its own, in order, and sees the ones before it. */
export const TransitionCommand = Schema.TaggedStruct("memory.transition", {
  meta: WriteMeta,
  /** All or nothing: when one item is refused or meets no row, none is carried out, and the others read `unchanged`. */
  atomic: given(Schema.Boolean),
  items: Schema.Array(TransitionItem)
})
export type TransitionCommand = typeof TransitionCommand.Type

export const TransitionResult = Schema.Struct({
  index: Schema.Number,
  memory_id: Schema.NullOr(Schema.String),
  memory_key: Schema.NullOr(Schema.String),
  outcome: Schema.Literal("changed", "unchanged", "not_found", "refused"),
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  facts: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  status_before: Schema.NullOr(Schema.String),
  /** The answer that shows the row after the change; null when there is none. */
  answer: Schema.NullOr(WriteAnswer),
  /** Ids of derived rows that went or were marked along with the row. */
  dependents: given(Schema.Struct({ tombstoned: Texts, downgraded: Texts }))
})
export type TransitionResult = typeof TransitionResult.Type

export const TransitionAnswer = Schema.Struct({ results: Schema.Array(TransitionResult) })
export type TransitionAnswer = typeof TransitionAnswer.Type

/** The answer of a whole verb, to be kept under its idempotency key; null asks for the one that was kept before. */
export const AnswerCommand = Schema.TaggedStruct("memory.answer", {
  meta: WriteMeta,
  answer: Schema.NullOr(Schema.String)
})
export type AnswerCommand = typeof AnswerCommand.Type

/** The first answer that was kept, as text; null when there is none. */
export const FirstAnswerText = Schema.Struct({ first: Schema.NullOr(Schema.String) })
export type FirstAnswerText = typeof FirstAnswerText.Type

/** A read of a high-sensitivity value, to be written into the audit chain before it is answered. */
export const AuditReadCommand = Schema.TaggedStruct("memory.audit_read", {
  meta: WriteMeta,
  memory_id: Schema.String,
  content_sha256: Schema.String
})
export type AuditReadCommand = typeof AuditReadCommand.Type

export type WriteCommand =
  | SetCommand
  | BulkCommand
  | UpdateCommand
  | UpdateByIdCommand
  | DeleteCommand
  | RestoreCommand
  | TransitionCommand

/** Brings an actor up, so that repair runs without waiting for a write. */
export const ActivateCommand = Schema.TaggedStruct("activate", {})

/** The operation that an actor names when it was stopped before it could answer: the write may or may not be in. */
export const ACTOR_STOPPED = "NamespaceActor"

/** The actor of one namespace; its id is `actorId(scope)`. */
export const NamespaceEntity = Entity.make("Namespace", [
  Rpc.make("memory.set", { payload: bare(SetCommand), success: MemorySet.answer, error: LoomError }),
  Rpc.make("memory.bulk_set", { payload: bare(BulkCommand), success: MemoryBulkSet.answer, error: LoomError }),
  Rpc.make("memory.update", { payload: bare(UpdateCommand), success: MemoryUpdate.answer, error: LoomError }),
  Rpc.make("memory.update_by_id", {
    payload: bare(UpdateByIdCommand),
    success: MemoryUpdateById.answer,
    error: LoomError
  }),
  Rpc.make("memory.delete", { payload: bare(DeleteCommand), success: MemoryDelete.answer, error: LoomError }),
  Rpc.make("memory.restore", { payload: bare(RestoreCommand), success: MemoryRestore.answer, error: LoomError }),
  Rpc.make("memory.transition", { payload: bare(TransitionCommand), success: TransitionAnswer, error: LoomError }),
  Rpc.make("memory.answer", {
    payload: bare(AnswerCommand),
    success: FirstAnswerText,
    error: LoomError
  }),
  Rpc.make("memory.audit_read", { payload: bare(AuditReadCommand), error: LoomError }),
  Rpc.make("activate", { payload: bare(ActivateCommand), error: LoomError })
])
