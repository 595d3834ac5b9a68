/**
 * Builds the next version of a row: a new one from what a write states, or an old one with some columns changed and
 * every other column carried forward. Pure; stamps of version, epoch and audit are the caller's (`Moment`, `AuditChain`).
 */
import type { Scope } from "../kernel/Identity.ts"
import type { SetItem, Statement, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import type { Change, MemoryRow } from "./MemoryModel.ts"
import { marked } from "./MemoryType.ts"

/** When a batch is planned: wall clock, first free version, and the owner's fence position. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly version: bigint
  readonly epoch: bigint
  readonly seq: bigint
}

/** Columns that a statement sets; what it does not state is left out. */
const stated = (statement: Statement): Partial<MemoryRow> => statement

/** What was stated of a row beside key and value; its ends, pin and lock apart. */
export const statedOf = (row: MemoryRow): Statement => ({
  tags: row.tags,
  entities: row.entities,
  relations: row.relations,
  files: row.files,
  confidence: row.confidence,
  source_trace: row.source_trace,
  source_resource_id: row.source_resource_id,
  valid_at: row.valid_at
})

/** Columns that belong to the content. */
const contentColumns = (content: Content) => ({
  value: content.value,
  value_kind: content.value_kind,
  content_sha256: content.content_sha256,
  canonical_sha256: content.canonical_sha256,
  memory_type: content.memory_type,
  retyped_from: content.retyped_from,
  sensitivity: content.sensitivity
})

const stamps = (meta: WriteMeta, moment: Moment, change: Change) => ({
  version: moment.version,
  updated_at: moment.now,
  actor: meta.actor,
  write_id: meta.write_id,
  idem_hash: "",
  payload_hash: "",
  answer: "",
  change,
  cause: "",
  epoch: moment.epoch,
  seq: moment.seq,
  audit_prev: "",
  audit_hash: ""
})

/** The first version of an identity, or the first after its row was out of service; `before` keeps its id and guards. */
export const fresh = (
  scope: Scope,
  meta: WriteMeta,
  item: SetItem,
  moment: Moment,
  memoryId: string,
  before: MemoryRow | undefined
): MemoryRow => ({
  org: scope.org,
  namespace: scope.namespace,
  agent: item.agent,
  user_id: item.user_id,
  session_id: item.session_id,
  memory_key: item.memory_key,
  memory_id: before?.memory_id ?? memoryId,
  run_id: item.run_id,
  entities: [],
  relations: "[]",
  files: [],
  confidence: 1,
  status: item.proposed ? "proposed" : "active",
  pinned: false,
  conflict_with: [],
  duplicate_of: "",
  superseded_by: "",
  created_at: moment.now,
  valid_at: null,
  valid_to: null,
  temporal_anchor: null,
  temporal_confidence: null,
  invalid_at: null,
  tombstoned_at: null,
  expires_at: null,
  on_expire: "",
  expire_reason: "",
  source_class: item.source_class,
  source_trace: "",
  source_resource_id: "",
  // An attestation stays bound to the hash it was given for and reads as stale once the content differs.
  verified_by: before?.verified_by ?? "",
  verified_kind: before?.verified_kind ?? "",
  verified_sha256: before?.verified_sha256 ?? "",
  verified_at: before?.verified_at ?? null,
  lock_mode: before?.lock_mode ?? "",
  lock_until: before?.lock_until ?? null,
  lock_reason: before?.lock_reason ?? "",
  locked_by: before?.locked_by ?? "",
  char_limit: before?.char_limit ?? 0,
  reinforcement_count: 1,
  ...contentColumns(item.content),
  ...stamps(meta, moment, before === undefined ? "create" : "revise"),
  ...stated(item.statement),
  ...marked({ ...item.content, tags: item.statement.tags ?? [] })
})

/** A new value stated under a key that holds a live row: id and creation time stay, the statement is the new claim's. */
export const revised = (
  scope: Scope,
  meta: WriteMeta,
  item: SetItem,
  moment: Moment,
  before: MemoryRow
): MemoryRow => ({
  ...fresh(scope, meta, item, moment, before.memory_id, before),
  created_at: before.created_at
})

/** The same row with some columns changed. */
export const carried = (
  before: MemoryRow,
  meta: WriteMeta,
  moment: Moment,
  change: Change,
  columns: Partial<MemoryRow> = {}
): MemoryRow => {
  const row = { ...before, ...stamps(meta, moment, change), ...columns }
  return { ...row, ...marked(row, before) }
}

/** The columns an update changes: the content when there is one, and what is stated. */
export const updatedColumns = (
  meta: WriteMeta,
  content: Content | null,
  statement: Statement
): Partial<MemoryRow> => ({
  ...(content === null ? {} : { ...contentColumns(content), source_class: meta.source_class }),
  ...(meta.run_id === "" ? {} : { run_id: meta.run_id }),
  ...stated(statement)
})
