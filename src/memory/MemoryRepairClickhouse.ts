/**
 * What one namespace's tables lack after a torn insert, and what they hold too much of after a commit that never came:
 * found by anti-join and set right. A version is given out once in a namespace, so the mirrors are compared by version
 * alone. Every step first asks and then acts, so that a repair with nothing to do writes nothing.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse, Fragment, Statement } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import { LIVE_STATUSES } from "./MemoryModel.ts"
import { inScope, placesAtOnce, rowColumns, rowsAt, StoredRow } from "./MemoryRowsClickhouse.ts"
import type { RepairReport } from "./MemoryStore.ts"
import { HIDDEN_TYPES, typeFacts } from "./MemoryType.ts"

/** A table that a view fills: its columns, what the view makes of a version for them, and the one that holds its number. */
interface Mirror {
  readonly table: Fragment
  /** Where its rows are taken from: what the view saw, or the history, once that is whole. */
  readonly source: Fragment
  readonly columns: Fragment
  readonly projection: Fragment
  readonly version: Fragment
}

const versions: Mirror = {
  table: ch.fragment`loom.memory_versions`,
  source: ch.fragment`loom.memory`,
  columns: rowColumns,
  projection: rowColumns,
  version: ch.fragment`version`
}

// From the history and not the heads: a merge may have taken an older head away before its repair.
const journal: Mirror = {
  table: ch.fragment`loom.journal`,
  source: ch.fragment`loom.memory_versions FINAL`,
  columns: ch.fragment`org, namespace, position, at, actor, action, agent, user_id, session_id, memory_key, memory_id,
    content_sha256, status, write_id, cause, prev_hash, hash, epoch, seq`,
  projection: ch.fragment`org, namespace, version, updated_at, actor, change, agent, user_id, session_id, memory_key,
    memory_id, content_sha256, status, write_id, cause, audit_prev, audit_hash, epoch, seq`,
  version: ch.fragment`position`
}

const lacking = (scope: Scope, { table, version }: Mirror): Fragment =>
  ch.fragment`${inScope(scope)} AND version NOT IN (SELECT ${version} FROM ${table} WHERE ${inScope(scope)})`

const Holds = Schema.Struct({ tables: UInt64 })

// Most namespaces that an actor comes up for are new, and this one look then stands for all others.
const holds = (scope: Scope): Statement => {
  const tables = ["memory", "memory_versions", "memory_embeddings", "memory_chunks", "memory_entities"]
  const rows = tables.map((table) =>
    ch.fragment`(SELECT 1 FROM ${ch.identifier("loom", table)} WHERE ${inScope(scope)} LIMIT 1)`
  )
  return ch.sql("MemoryStore.repair")`SELECT count() AS tables FROM (${ch.join(rows, " UNION ALL ")})`
}

const Lacks = Schema.Struct({ versions: UInt64, journal: UInt64 })

// What the history lacks, the journal may have: each is asked for by itself.
const lacks = (scope: Scope): Statement =>
  ch.sql("MemoryStore.repair")`SELECT
    (SELECT count() FROM loom.memory WHERE ${lacking(scope, versions)}) AS versions,
    (SELECT uniqExact(version) FROM (
      SELECT version FROM loom.memory WHERE ${lacking(scope, journal)}
      UNION ALL SELECT version FROM loom.memory_versions WHERE ${lacking(scope, journal)})) AS journal`

const complete = (scope: Scope, mirror: Mirror): Statement =>
  ch.sql("MemoryStore.repair")`INSERT INTO ${mirror.table} (${mirror.columns})
    SELECT DISTINCT ${mirror.projection} FROM ${mirror.source} WHERE ${lacking(scope, mirror)}`

/** A derived table: what joins its rows, besides their place, to the versions, and that expression over a version. */
interface DerivedTable {
  readonly table: Fragment
  readonly column: Fragment
  readonly ofVersion: Fragment
}

const derivedTables: ReadonlyArray<DerivedTable> = [
  {
    table: ch.fragment`loom.memory_embeddings`,
    column: ch.fragment`content_sha256`,
    ofVersion: ch.fragment`content_sha256`
  },
  {
    table: ch.fragment`loom.memory_chunks`,
    column: ch.fragment`content_sha256`,
    ofVersion: ch.fragment`content_sha256`
  },
  { table: ch.fragment`loom.memory_entities`, column: ch.fragment`entity`, ofVersion: ch.fragment`arrayJoin(entities)` }
]

// Compared by a hash of the place and the part, a third of the time of the texts. Two that clash keep an orphan, which
// nobody finds; none is removed for it.
const orphaned = (scope: Scope, { column, ofVersion }: DerivedTable, upTo: bigint | undefined): Fragment =>
  ch.fragment`${inScope(scope)} ${
    upTo === undefined ? ch.empty : ch.fragment`AND version <= ${ch.uint64(upTo)}`
  } AND cityHash64(agent, user_id, session_id, memory_key, ${column}) NOT IN (
    SELECT cityHash64(agent, user_id, session_id, memory_key, ${ofVersion}) FROM loom.memory_versions FINAL
    WHERE ${inScope(scope)})`

const Orphans = Schema.Struct({ found: UInt64 })

const countOrphans = (scope: Scope, derived: DerivedTable, upTo: bigint | undefined): Statement =>
  ch.sql("MemoryStore.repair")`SELECT uniqExact(agent, user_id, session_id, memory_key, ${derived.column}) AS found
    FROM ${derived.table} WHERE ${orphaned(scope, derived, upTo)}`

// The condition again, not a list of what was found: a list of long keys may not fit one statement.
const removeOrphans = (scope: Scope, derived: DerivedTable, upTo: bigint | undefined): Statement =>
  ch.sql("MemoryStore.repair")`DELETE FROM ${derived.table} WHERE ${orphaned(scope, derived, upTo)}`

// No type that search hides for another reason may slip in here, so the table of types is asked, not listed again.
const unembeddedTypes = HIDDEN_TYPES.filter((type) => !typeFacts(type).embedded)

const PlaceRow = StoredRow.pick("agent", "user_id", "session_id", "memory_key")

/** The heads that are to have vectors. */
export const embeddable: Fragment = ch.fragment`status IN ${
  ch.array("String", LIVE_STATUSES)
} AND sensitivity != 'high' AND memory_type NOT IN ${ch.array("String", unembeddedTypes)}`

const missing = (scope: Scope, embedderId: string, columns: Fragment): Statement =>
  ch.sql("MemoryStore.repair")`SELECT ${columns} FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND ${embeddable}
    AND (agent, user_id, session_id, memory_key, content_sha256) NOT IN (
      SELECT agent, user_id, session_id, memory_key, content_sha256 FROM loom.memory_embeddings
      WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)})`

// Most often there is none, and to find that out by whole rows would read them all. After a change of embedder it is
// all of them, and then one scan is what they cost.
const missingRows = (clickhouse: Clickhouse["Type"], scope: Scope, embedderId: string) =>
  Effect.flatMap(
    clickhouse.query(missing(scope, embedderId, ch.fragment`agent, user_id, session_id, memory_key`), PlaceRow),
    (places) =>
      places.length <= placesAtOnce
        ? rowsAt(clickhouse, scope, places)
        : clickhouse.query(missing(scope, embedderId, rowColumns), StoredRow)
  )

export const repairOf = (clickhouse: Clickhouse["Type"]) =>
  Effect.fn("MemoryStore.repair")(function*(
    scope: Scope,
    embedderId: string,
    upTo?: bigint
  ): Effect.fn.Return<RepairReport, StoreError> {
    const [held] = yield* clickhouse.query(holds(scope), Holds)
    if (held?.tables === 0n) return { versions: 0, journal: 0, missing: [], orphans: 0 }
    const [found] = yield* clickhouse.query(lacks(scope), Lacks)
    const report = { versions: 0n, journal: 0n, ...found }
    if (report.versions > 0n) yield* clickhouse.command(complete(scope, versions))
    if (report.journal > 0n) yield* clickhouse.command(complete(scope, journal))
    // Only now: what the completed history refers to is no orphan.
    const removed = yield* Effect.forEach(derivedTables, (derived) =>
      Effect.gen(function*() {
        const [row] = yield* clickhouse.query(countOrphans(scope, derived, upTo), Orphans)
        const orphans = Number(row?.found ?? 0n)
        if (orphans > 0) yield* clickhouse.command(removeOrphans(scope, derived, upTo))
        return orphans
      }))
    return {
      versions: Number(report.versions),
      journal: Number(report.journal),
      missing: yield* missingRows(clickhouse, scope, embedderId),
      orphans: removed.reduce((sum, count) => sum + count, 0)
    }
  })
