/**
 * The change feed and the audit chain of the namespaces of a run, as workers and auditors read them from the store: no verb
 * gives either out.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { linkHash } from "../../src/memory/AuditChain.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { UInt64 } from "../../src/platform/ClickhouseValue.ts"
import { AuditLinkRow } from "../support/AuditLinkRow.ts"
import type { Change } from "./Facts.ts"

const ChangeRow = Schema.Struct({
  namespace: Schema.String,
  version: UInt64,
  memory_key: Schema.String,
  change: Schema.String
})

export interface Journal {
  readonly changes: ReadonlyMap<string, ReadonlyArray<Change>>
  /** For each namespace, what does not hold of its chain, in words. */
  readonly chainFaults: ReadonlyMap<string, ReadonlyArray<string>>
}

const put = <A>(lists: Map<string, Array<A>>, name: string, one: A): void => {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [one])
  else list.push(one)
}

/** All of it; the store is quiet. */
export const read = Effect.gen(function*() {
  const clickhouse = yield* Clickhouse
  const changes = new Map<string, Array<Change>>()
  const rows = yield* clickhouse.query(
    ch.sql("test.changes")`SELECT namespace, version, memory_key, change FROM loom.changes ORDER BY namespace, version`,
    ChangeRow
  )
  for (const { change, memory_key, namespace, version } of rows) {
    put(changes, namespace, { version: version.toString(), key: memory_key, change })
  }
  const chainFaults = new Map<string, Array<string>>()
  const links = yield* clickhouse.query(
    ch.sql("test.audit")`SELECT org, namespace, position, at, actor, action, memory_id, content_sha256, write_id,
      prev_hash, hash FROM loom.audit_log ORDER BY org, namespace, position`,
    AuditLinkRow
  )
  const heads = new Map<string, string>()
  for (const link of links) {
    const before = heads.get(link.namespace) ?? ""
    if (link.prev_hash !== before) {
      put(chainFaults, link.namespace, `the link ${link.position} is not of the one before`)
    }
    if (link.hash !== linkHash(link.prev_hash, link)) {
      put(chainFaults, link.namespace, `the link ${link.position} has not its hash`)
    }
    heads.set(link.namespace, link.hash)
  }
  const journal: Journal = { changes, chainFaults }
  return journal
})
