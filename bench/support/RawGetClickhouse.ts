/**
 * The read that `memory.get` is held against: one row by its whole sort key with FINAL, the same columns, on one thread,
 * through the same client. The answer is parsed but not looked into.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../../src/kernel/Identity.ts"
import { inScope, rowColumns } from "../../src/memory/MemoryRowsClickhouse.ts"
import { ch } from "../../src/platform/Clickhouse.ts"
import type { Clickhouse, Statement } from "../../src/platform/Clickhouse.ts"

const rawGet = (scope: Scope, key: string): Statement =>
  ch.sql("bench.rawGet", { max_threads: 1 })`SELECT ${rowColumns} FROM loom.memory FINAL
    WHERE ${inScope(scope)} AND agent = '' AND user_id = '-' AND session_id = '' AND memory_key = ${ch.string(key)}`

export const get = (clickhouse: Clickhouse["Type"], scope: Scope, key: string) =>
  clickhouse.query(rawGet(scope, key), Schema.Unknown)
