/**
 * Rows and commits for tests of memory: one plain row of which a test names only what it is about, and a scope of its
 * own for each test, so that tests share one store without meeting.
 */
import * as Order from "effect/Order"
import type { Scope } from "../../src/kernel/Identity.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import { linkHash } from "../../src/memory/AuditChain.ts"
import type { Searchable } from "../../src/memory/MemoryContent.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, everyRow } from "../../src/memory/MemoryReader.ts"
import type { ListFilter, Page } from "../../src/memory/MemoryReader.ts"
import { emptyCommit } from "../../src/memory/MemoryStore.ts"
import type { AuditEntry, Commit, Derived } from "../../src/memory/MemoryStore.ts"

let scopes = 0

/** A scope that no other test of this process uses. */
export const freshScope = (): Scope => ({ org: "acme", namespace: `space-${++scopes}` })

/** 29 November 2026, 12:00 UTC, and a millisecond more, so that the fraction of a second shows. */
export const noon = Date.UTC(2026, 10, 29, 12) + 1

/** The version of a time, as the actor gives them: nanoseconds. */
export const versionAt = (millis: number): bigint => BigInt(millis) * 1_000_000n

export const rowOf = (scope: Scope, changed: Partial<MemoryRow> = {}): MemoryRow => {
  const value = changed.value ?? "Deploys happen on Tuesdays"
  const key = changed.memory_key ?? "project/loom/deploy-window"
  const owner = [scope.namespace, changed.agent ?? "", changed.user_id ?? "-", changed.session_id ?? "", key].join(" ")
  return {
    ...scope,
    agent: "",
    user_id: "-",
    session_id: "",
    memory_key: key,
    memory_id: `mem_${sha256(owner).slice(0, 32)}`,
    run_id: "",
    value,
    value_kind: "string",
    content_sha256: sha256(value),
    canonical_sha256: sha256(value.toLowerCase()),
    memory_type: "semantic",
    tags: [],
    entities: [],
    relations: "[]",
    files: [],
    confidence: 0.75,
    status: "active",
    pinned: false,
    conflict_with: [],
    duplicate_of: "",
    superseded_by: "",
    version: versionAt(noon),
    created_at: noon,
    updated_at: noon,
    valid_at: null,
    valid_to: null,
    temporal_anchor: null,
    temporal_confidence: null,
    invalid_at: null,
    tombstoned_at: null,
    expires_at: null,
    on_expire: "",
    expire_reason: "",
    actor: "human:ada",
    source_class: "asserted",
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
    reinforcement_count: 1,
    write_id: "wr_1",
    idem_hash: "",
    payload_hash: "",
    answer: "",
    change: "create",
    cause: "",
    epoch: 0n,
    seq: 0n,
    audit_prev: "",
    audit_hash: sha256(owner),
    ...changed
  }
}

/** The same memory `steps` milliseconds and versions later. */
export const revised = (row: MemoryRow, steps: number, changed: Partial<MemoryRow> = {}): MemoryRow =>
  rowOf(row, {
    ...row,
    ...(changed.value === undefined ? {} : { content_sha256: sha256(changed.value) }),
    version: row.version + versionAt(steps),
    updated_at: row.updated_at + steps,
    change: "revise",
    audit_hash: sha256(`${row.audit_hash} ${steps}`),
    ...changed
  })

export const embedderId = "test/1"

const searchable = (value: string): Searchable => ({
  embedder_id: embedderId,
  value_vector: Float32Array.from([0.6, 0.8]),
  key_vector: Float32Array.from([1, 0]),
  excerpt: value,
  lowered: value.toLowerCase(),
  stems: value.toLowerCase().split(" "),
  lemmas: value.toLowerCase().split(" "),
  chunks: []
})

export const derivedOf = (row: MemoryRow, changed: Partial<Searchable> = {}): Derived => ({
  identity: {
    org: row.org,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_key: row.memory_key
  },
  content_sha256: row.content_sha256,
  memory_type: row.memory_type,
  source_class: row.source_class,
  verified: false,
  version: row.version,
  searchable: { ...searchable(row.value), ...changed }
})

/** The link of an audited read of a row. */
export const auditOf = (row: MemoryRow, position: bigint, prev_hash: string): AuditEntry => {
  const { content_sha256, memory_id, namespace, org } = row
  const at = Number(position / 1_000_000n)
  const link = { org, namespace, position, at, actor: "human:ada", action: "read", memory_id, content_sha256 }
  const full = { ...link, write_id: `wr_${position}` }
  return { ...full, prev_hash, hash: linkHash(prev_hash, full), epoch: 0n, seq: 1n }
}

export const commitOf = (rows: ReadonlyArray<MemoryRow>, more: Partial<Commit> = {}): Commit => ({
  ...emptyCommit,
  rows,
  ...more
})

export const versionsOf = (rows: ReadonlyArray<{ readonly version: bigint }>): ReadonlyArray<bigint> =>
  rows.map(({ version }) => version)

/** The keys of rows whose order is not promised. */
export const keysOf = (rows: ReadonlyArray<{ readonly memory_key: string }>): ReadonlyArray<string> =>
  rows.map(({ memory_key }) => memory_key).sort(Order.string)

export const everything: ListFilter = everyRow(anyWriter, ["active", "conflicted"])

export const firstPage: Page = { sort_by: "updated_at", after: null, limit: 100, offset: 0 }
