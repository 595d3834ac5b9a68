/**
 * What takes the place of a voided commit: versions that hold its numbers and say nothing, and the heads of before, laid
 * down again above it.
 */
import type { Intent, IntentRow } from "./Fence.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { KeptAnswer } from "./MemoryStore.ts"

const NANOS_PER_MILLI = 1_000_000n

/** A version of an intent's row that was never served. */
export const voidRow = ({ scope }: Intent, row: IntentRow, version: bigint): MemoryRow => {
  const at = Number(version / NANOS_PER_MILLI)
  return {
    org: scope.org,
    namespace: scope.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    run_id: "",
    value: "",
    value_kind: "string",
    content_sha256: "",
    canonical_sha256: "",
    memory_type: "",
    tags: [],
    entities: [],
    relations: "[]",
    files: [],
    confidence: 1,
    status: "void",
    pinned: false,
    conflict_with: [],
    duplicate_of: "",
    superseded_by: "",
    version,
    created_at: at,
    updated_at: at,
    valid_at: null,
    valid_to: null,
    temporal_anchor: null,
    temporal_confidence: null,
    invalid_at: null,
    tombstoned_at: null,
    expires_at: null,
    on_expire: "",
    expire_reason: "",
    actor: "",
    source_class: "derived",
    source_trace: "",
    source_resource_id: "",
    verified_by: "",
    verified_kind: "",
    verified_sha256: "",
    verified_at: null,
    lock_mode: "",
    lock_until: null,
    lock_reason: "",
    locked_by: "",
    sensitivity: "none",
    char_limit: 0,
    retyped_from: "",
    reinforcement_count: 0,
    write_id: "",
    idem_hash: "",
    payload_hash: "",
    answer: "",
    change: "repair",
    cause: "",
    epoch: 0n,
    seq: 0n,
    audit_prev: "",
    audit_hash: ""
  }
}

/** The head that an intent's row had before, under a fresh version; a void one where it had none. */
export const laidDownAgain = (
  intent: Intent,
  row: IntentRow,
  before: MemoryRow | undefined,
  version: bigint
): MemoryRow => before === undefined ? voidRow(intent, row, version) : { ...before, version }

/** Takes the place of a kept answer: none. */
export const noAnswer: Pick<KeptAnswer, "payload_hash" | "write_id" | "answer" | "at"> = {
  payload_hash: "",
  write_id: "",
  answer: "",
  at: 0
}
