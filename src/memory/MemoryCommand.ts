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
import { Sensitivity, SourceClass } from "./MemoryModel.ts"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate, MemoryUpdateById } from "./MemoryVerbs.ts"

const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Millis = Schema.NullOr(Schema.Number)
const Texts = Schema.Array(Schema.String)

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
  advisories: Texts
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
  if_match_sha256: Schema.NullOr(Schema.String)
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
  content: Schema.NullOr(Content)
})
export type RestoreCommand = typeof RestoreCommand.Type

export type WriteCommand =
  | SetCommand
  | BulkCommand
  | UpdateCommand
  | UpdateByIdCommand
  | DeleteCommand
  | RestoreCommand

/** Brings an actor up, so that repair runs without waiting for a write. */
export const ActivateCommand = Schema.TaggedStruct("activate", {})

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
  Rpc.make("activate", { payload: bare(ActivateCommand), error: LoomError })
])
