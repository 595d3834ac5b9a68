/**
 * What must hold in the tables of a data folder that no process serves: no row without its version, its feed entry and
 * its audit link; no searchable head without a vector of its content; no derived row of a content that never was;
 * one unbroken chain of hashes for each namespace. What was voided is no change and no link. Opens the folder with the embedded engine.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { linkHash } from "../../src/memory/AuditChain.ts"
import { ch, Clickhouse, layerEmbedded } from "../../src/platform/Clickhouse.ts"
import type { Statement } from "../../src/platform/Clickhouse.ts"
import { UInt64 } from "../../src/platform/ClickhouseValue.ts"
import { quiet } from "../platform/ClickhouseTemp.ts"
import { AuditLinkRow } from "../support/AuditLinkRow.ts"

const place = ch.fragment`org, namespace, agent, user_id, session_id, memory_key`
const searchable = ch.fragment`status IN ('active', 'conflicted', 'proposed', 'duplicate') AND sensitivity != 'high'
  AND memory_type NOT IN ('episodic', 'profile')`

/** Each counts what must not be. */
const faults: ReadonlyArray<readonly [what: string, statement: Statement]> = [
  [
    "heads without their version",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory FINAL
    WHERE (${place}, version) NOT IN (SELECT ${place}, version FROM loom.memory_versions)`
  ],
  [
    "versions without their change",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory_versions
    WHERE status != 'void' AND (org, namespace, version) NOT IN (SELECT org, namespace, version FROM loom.changes)`
  ],
  [
    "changes without their version",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.changes
    WHERE (org, namespace, version) NOT IN (SELECT org, namespace, version FROM loom.memory_versions)`
  ],
  [
    "versions without their audit link",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory_versions
    WHERE status != 'void' AND (org, namespace, version) NOT IN (SELECT org, namespace, position FROM loom.audit_log)`
  ],
  [
    "audit links without their version",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.audit_log
    WHERE action != 'read' AND (org, namespace, position) NOT IN (SELECT org, namespace, version FROM loom.memory_versions)`
  ],
  [
    "heads that are not the newest version",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory FINAL
    WHERE (${place}, version) NOT IN (SELECT ${place}, max(version) FROM loom.memory_versions GROUP BY ${place})`
  ],
  [
    "versions used twice in a namespace",
    ch.sql("test.invariant")`SELECT count() AS found FROM (
    SELECT org, namespace, version FROM loom.memory_versions FINAL GROUP BY org, namespace, version HAVING count() > 1)`
  ],
  [
    "ids used for two places",
    ch.sql("test.invariant")`SELECT count() AS found FROM (
    SELECT org, namespace, memory_id FROM loom.memory FINAL GROUP BY org, namespace, memory_id HAVING count() > 1)`
  ],
  [
    "served rows without a vector",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory FINAL
    WHERE ${searchable} AND (${place}, content_sha256) NOT IN (
      SELECT ${place}, content_sha256 FROM loom.memory_embeddings WHERE length(value_vector) > 0 AND length(key_vector) > 0)`
  ],
  [
    "served long texts without passages",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory FINAL
    WHERE ${searchable} AND lengthUTF8(value) > 1300 AND (${place}, content_sha256) NOT IN (
      SELECT ${place}, content_sha256 FROM loom.memory_chunks)`
  ],
  [
    "served entities without a projection",
    ch.sql("test.invariant")`SELECT count() AS found FROM (
      SELECT ${place}, arrayJoin(entities) AS entity FROM loom.memory FINAL WHERE ${searchable})
    WHERE (${place}, entity) NOT IN (SELECT ${place}, entity FROM loom.memory_entities)`
  ],
  [
    "vectors of a content that never was",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory_embeddings
    WHERE (${place}, content_sha256) NOT IN (SELECT ${place}, content_sha256 FROM loom.memory_versions)`
  ],
  [
    "passages of a content that never was",
    ch.sql("test.invariant")`SELECT count() AS found FROM loom.memory_chunks
    WHERE (${place}, content_sha256) NOT IN (SELECT ${place}, content_sha256 FROM loom.memory_versions)`
  ]
]

const Found = Schema.Struct({ found: UInt64 })

const links = ch.sql(
  "test.audit"
)`SELECT org, namespace, position, at, actor, action, memory_id, content_sha256, write_id,
    prev_hash, hash FROM loom.audit_log ORDER BY org, namespace, position`

const checkChains = Effect.gen(function*() {
  const clickhouse = yield* Clickhouse
  const heads = new Map<string, string>()
  const all = yield* clickhouse.query(links, AuditLinkRow)
  for (const link of all) {
    const scope = `${link.org}/${link.namespace}`
    const before = heads.get(scope) ?? ""
    assert.strictEqual(link.prev_hash, before, `the link before ${scope} ${link.position}`)
    assert.strictEqual(link.hash, linkHash(before, link), `the link ${scope} ${link.position}`)
    heads.set(scope, link.hash)
  }
  return all.length
})

/** Runs on a folder that no process serves. */
export const onFolder = <A, E>(data: string, use: Effect.Effect<A, E, Clickhouse>) =>
  Effect.orDie(Effect.provide(use, [layerEmbedded({ path: join(data, "clickhouse") }), quiet]))

/** Fails with the first thing that does not hold; answers how many audit links there are. */
export const check = (data: string): Effect.Effect<number> =>
  onFolder(
    data,
    Effect.gen(function*() {
      const clickhouse = yield* Clickhouse
      for (const [what, statement] of faults) {
        const [row] = yield* clickhouse.query(statement, Found)
        assert.strictEqual(row?.found, 0n, what)
      }
      return yield* checkChains
    })
  )
