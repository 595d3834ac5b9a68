/**
 * The order in which a commit reaches ClickHouse: everything derived first, side by side, and the memory rows last, as
 * one block. That block is the commit: what was inserted before it is found by nobody until it is there (but for audited
 * reads, which happened whatever becomes of it), and the views fill the history and the journal from it.
 */
import * as Effect from "effect/Effect"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { Identity, Scope } from "../kernel/Identity.ts"
import type { Unavailable } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import { base64Of } from "../platform/ClickhouseValue.ts"
import { encodeRow, inPlaces, inScope } from "./MemoryRowsClickhouse.ts"
import type { AuditEntry, Ceiling, Commit, Derived, EntityProjection, KeptAnswer } from "./MemoryStore.ts"

/** The fence pair that derived rows carry: the one of their namespace's memory rows in the same commit. */
interface Fence {
  readonly epoch: bigint
  readonly seq: bigint
}

// A commit that only derives again (no memory row of the namespace in it) has no pair.
const unfenced: Fence = { epoch: 0n, seq: 0n }

const scopeKey = ({ namespace, org }: Scope): string => `${org}\u0000${namespace}`

const fencesOf = (rows: Commit["rows"]): (scope: Scope) => Fence => {
  const fences = new Map(rows.map((row) => [scopeKey(row), { epoch: row.epoch, seq: row.seq }]))
  return (scope) => fences.get(scopeKey(scope)) ?? unfenced
}

/** The highest version that a commit gives a memory. */
const topsOf = (rows: Commit["rows"]): (identity: Identity) => bigint => {
  const tops = new Map<string, bigint>()
  for (const row of rows) tops.set(identityKey(row), row.version)
  return (identity) => tops.get(identityKey(identity)) ?? 0n
}

const embeddingRow = (
  { content_sha256, identity, memory_type, searchable, source_class, verified, version }: Derived,
  fence: Fence
) => ({
  ...identity,
  content_sha256,
  embedder_id: searchable.embedder_id,
  memory_type,
  value_base64: base64Of(searchable.value_vector),
  key_base64: base64Of(searchable.key_vector),
  excerpt: searchable.excerpt,
  lowered: searchable.lowered,
  stems: searchable.stems,
  lemmas: searchable.lemmas,
  source_class,
  verified,
  version,
  ...fence
})

// Passages are written without a vector: a worker embeds them later, so that a long value does not hold up its write.
const chunkRows = ({ content_sha256, identity, searchable, version }: Derived, fence: Fence) =>
  searchable.chunks.map(({ end, index, lemmas, start, stems, text }) => ({
    ...identity,
    content_sha256,
    embedder_id: "",
    chunk_index: index,
    start_at: start,
    end_at: end,
    text,
    stems,
    lemmas,
    vector: [],
    version,
    ...fence
  }))

const entityRow = ({ entity, identity, version }: EntityProjection, fence: Fence) => ({
  ...identity,
  entity,
  version,
  ...fence
})

const ceilingRow = ({ ceiling, scope }: Ceiling) => ({ ...scope, ceiling })

export const answerRow = ({ at, scope, ...answer }: KeptAnswer) => ({ ...scope, ...answer, at: new Date(at) })

// Whose row it was and under which key stays out.
const auditRow = ({ at, ...link }: AuditEntry) => ({ ...link, at: new Date(at) })

// The columns are named since two of them exist only in an insert.
const insertEmbeddings = (clickhouse: Clickhouse["Type"], rows: ReadonlyArray<object>) =>
  clickhouse.insert("loom.memory_embeddings", rows, { columns: Object.keys(rows[0] ?? {}) })

// Two versions of one identity may stand in one block. Collapsed on the way in, the first would be in no table but the
// mirrors, and a torn insert could not be repaired. History and journal are filled side by side: what syncs one lets
// the other work.
export const everyVersion = { settings: { optimize_on_insert: 0, parallel_view_processing: 1 } }

/**
 * Takes away what was derived from a memory, up to a version, since a delete that comes late must not reach what a later
 * owner derived: rare, so one short delete a table is cheap enough.
 */
export const forget = (clickhouse: Clickhouse["Type"], identity: Identity, upTo: bigint) =>
  Effect.forEach(["memory_embeddings", "memory_chunks", "memory_entities"], (table) =>
    clickhouse.command(
      ch.sql("MemoryStore.forget")`DELETE FROM ${ch.identifier("loom", table)}
        WHERE ${inScope(identity)} AND ${inPlaces([identity])} AND version <= ${ch.uint64(upTo)}`
    ), { discard: true })

export const commitTo = (clickhouse: Clickhouse["Type"]) =>
  Effect.fn("MemoryStore.commit")(function*(
    { answers, audits, ceilings, derived, entities, hidden, rows }: Commit
  ): Effect.fn.Return<ReadonlyArray<Scope>, Unavailable> {
    const fence = fencesOf(rows)
    const embeddings = derived.map((item) => embeddingRow(item, fence(item.identity)))
    const chunks = derived.flatMap((item) => chunkRows(item, fence(item.identity)))
    const named = entities.map((item) => entityRow(item, fence(item.identity)))
    const top = topsOf(rows)
    yield* Effect.forEach(hidden, (identity) => forget(clickhouse, identity, top(identity)), { discard: true })
    yield* Effect.all([
      Effect.zipRight(insertEmbeddings(clickhouse, embeddings), faultPoint("commit.after_embeddings")),
      Effect.zipRight(clickhouse.insert("loom.memory_chunks", chunks), faultPoint("commit.after_chunks")),
      Effect.zipRight(clickhouse.insert("loom.memory_entities", named), faultPoint("commit.after_entities")),
      clickhouse.insert("loom.namespace_counters", ceilings.map(ceilingRow)),
      clickhouse.insert("loom.idempotency", answers.map(answerRow)),
      clickhouse.insert("loom.journal", audits.map(auditRow))
    ], { concurrency: "unbounded", discard: true })
    yield* faultPoint("commit.before_memory")
    yield* clickhouse.insert("loom.memory", rows.map(encodeRow), everyVersion)
    yield* faultPoint("commit.after_memory")
    return []
  })
