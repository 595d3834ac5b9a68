/**
 * Repair of mirrors that a torn insert left behind, made here by taking rows out of them.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../../src/kernel/Identity.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import { encodeRow } from "../../src/memory/MemoryRowsClickhouse.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import {
  auditOf,
  commitOf,
  derivedOf,
  embedderId,
  freshScope,
  noon,
  revised,
  rowOf,
  versionAt
} from "./MemoryFixture.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer).pipe(
  Layer.provideMerge(layerEngine)
)

const mirrors = ["memory_versions", "journal"] as const

const ofScope = ({ namespace, org }: Scope) =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}`

const empty = (scope: Scope, table: string) =>
  Effect.flatMap(
    Clickhouse,
    (clickhouse) =>
      clickhouse.command(ch.sql("test.empty")`DELETE FROM ${ch.identifier("loom", table)} WHERE ${ofScope(scope)}`)
  )

const rowsOf = (scope: Scope, table: string) =>
  Effect.flatMap(Clickhouse, (clickhouse) =>
    clickhouse.query(
      ch.sql("test.rows")`SELECT * FROM ${ch.identifier("loom", table)} FINAL WHERE ${ofScope(scope)} ORDER BY ALL`,
      Schema.Record({ key: Schema.String, value: Schema.Unknown })
    ))

const startMerges = Effect.flatMap(
  Clickhouse,
  (clickhouse) => clickhouse.command(ch.sql("test.start")`SYSTEM START MERGES loom.memory`)
)

const clean = { versions: 0, journal: 0, missing: [], orphans: 0 }

testLayer(layer)("MemoryRepairClickhouse", (it) => {
  it.effect("fills every mirror as its view would have, of its own namespace alone", () =>
    Effect.gen(function*() {
      const [store, clickhouse] = [yield* MemoryStore, yield* Clickhouse]
      const [scope, neighbour] = [freshScope(), freshScope()]
      const first = rowOf(scope)
      const second = revised(first, 1, { value: "Deploys happen on Fridays" })
      const other = rowOf(scope, { agent: "other", user_id: "ada", version: versionAt(noon + 2) })
      const rows = [first, second, other]
      // A merge in the background would leave one version of the two in the block.
      yield* clickhouse.command(ch.sql("test.stop")`SYSTEM STOP MERGES loom.memory`)
      yield* store.commit(commitOf([...rows, rowOf(neighbour)], { derived: rows.map((row) => derivedOf(row)) }))
      const filled = yield* Effect.forEach(mirrors, (table) => rowsOf(scope, table))
      assert.deepStrictEqual(filled.map((table) => table.length), [3, 3])
      yield* Effect.forEach(mirrors, (table) => Effect.zipRight(empty(scope, table), empty(neighbour, table)))

      assert.isTrue(yield* store.committed(scope, rows.map(({ version }) => version)))
      assert.deepStrictEqual(yield* store.position(scope), {
        version: other.version,
        audit_hash: other.audit_hash,
        rows: 2
      })
      const report = yield* store.repair(scope, embedderId)
      assert.deepStrictEqual(report, { ...clean, versions: 3, journal: 3 })
      assert.deepStrictEqual(yield* Effect.forEach(mirrors, (table) => rowsOf(scope, table)), filled)
      assert.deepStrictEqual(yield* store.repair(scope, embedderId), clean)
      assert.deepStrictEqual(yield* rowsOf(neighbour, "memory_versions"), [])
      assert.strictEqual((yield* store.repair(neighbour, embedderId)).versions, 1)
    }).pipe(Effect.ensuring(Effect.ignore(startMerges))))

  it.effect("completes the journal from the history when an older head is merged away", () =>
    Effect.gen(function*() {
      const [store, reader, clickhouse] = [yield* MemoryStore, yield* MemoryReader, yield* Clickhouse]
      const scope = freshScope()
      const first = rowOf(scope)
      const second = revised(first, 1)
      yield* store.commit(commitOf([first, second]))
      const filled = yield* rowsOf(scope, "journal")
      yield* empty(scope, "journal")
      yield* clickhouse.command(ch.sql("test.merge")`OPTIMIZE TABLE loom.memory FINAL`)
      assert.deepStrictEqual(yield* reader.byId(scope, first.memory_id, anyWriter), [second])
      assert.strictEqual((yield* store.repair(scope, embedderId)).journal, 2)
      assert.deepStrictEqual(yield* rowsOf(scope, "journal"), filled)
    }))

  it.effect("shows the journal as a feed without reads, and as a chain without keys and people", () =>
    Effect.gen(function*() {
      const [store, clickhouse] = [yield* MemoryStore, yield* Clickhouse]
      const scope = freshScope()
      const row = rowOf(scope, { user_id: "ada", memory_key: "her/secret" })
      const read = auditOf(row, row.version + 1n, row.audit_hash)
      yield* store.commit(commitOf([row]))
      yield* store.commit(commitOf([], { audits: [read] }))
      const shown = (view: string) =>
        clickhouse.query(
          ch.sql("test.view")`SELECT * FROM ${ch.identifier("loom", view)} WHERE ${ofScope(scope)} ORDER BY ALL`,
          Schema.Record({ key: Schema.String, value: Schema.Unknown })
        )
      const feed = yield* shown("changes")
      assert.deepInclude(feed[0], { memory_key: "her/secret", version: row.version.toString(), change: "create" })
      assert.strictEqual(feed.length, 1)
      const chain = yield* shown("audit_log")
      assert.deepStrictEqual(chain.map(({ hash }) => hash), [row.audit_hash, read.hash])
      assert.deepInclude(chain[1], { action: "read", prev_hash: row.audit_hash, position: read.position.toString() })
      for (const link of chain) assert.notMatch(JSON.stringify(link), /her\/secret|"ada"/)
      const [, journalled] = yield* rowsOf(scope, "journal")
      assert.deepInclude(journalled, { agent: "", user_id: "", session_id: "", memory_key: "", status: "" })
    }))

  it.effect("does not bring back what a redaction took out, and drops the vectors of it", () =>
    Effect.gen(function*() {
      const [store, reader, clickhouse] = [yield* MemoryStore, yield* MemoryReader, yield* Clickhouse]
      const scope = freshScope()
      const first = rowOf(scope, { value: "The door code is 1234" })
      const second = revised(first, 1, { value: "There is a door code" })
      yield* store.commit(commitOf([first, second], { derived: [derivedOf(first), derivedOf(second)] }))
      const redacted = { ...first, value: "", content_sha256: "", canonical_sha256: "" }
      yield* clickhouse.insert("loom.memory_versions", [{ ...encodeRow(redacted), revision: 1 }])
      const report = yield* store.repair(scope, embedderId)
      assert.deepStrictEqual(report, { ...clean, orphans: 1 })
      // A late replay of the same version, as of a settled commit.
      yield* store.commit(commitOf([first]))
      yield* store.repair(scope, embedderId)
      const history = yield* reader.history(scope, [first], { before: null, limit: 9 })
      assert.deepStrictEqual(history, [second, redacted])
    }))
})
