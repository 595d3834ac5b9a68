/**
 * `BacklinkStore` on ClickHouse, which has every head under either authority. No index leads from a memory to what names
 * it: the links of a namespace's heads are read whole, without their values.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag } from "../platform/ClickhouseValue.ts"
import { BacklinkStore } from "./BacklinkStore.ts"
import { Status } from "./MemoryModel.ts"
import { inScope } from "./MemoryRowsClickhouse.ts"

const Row = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  status: Status,
  duplicate_of: Schema.String,
  superseded_by: Schema.String,
  contradicts: Flag
})

const DigestRow = Schema.Struct({
  digest_id: Schema.String,
  agent: Schema.String,
  session_id: Schema.String,
  created_at: EpochMillis,
  content_sha256: Schema.String
})

// What a rejected, deleted or void row names leads nowhere any more.
const STANDING = ["active", "conflicted", "duplicate", "superseded", "proposed"]

export const layer: Layer.Layer<BacklinkStore, never, Clickhouse> = Layer.effect(
  BacklinkStore,
  Effect.map(Clickhouse, (clickhouse): BacklinkStore["Type"] => ({
    naming: Effect.fn("BacklinkStore.naming")(function*(scope, bound, memoryId, limit) {
      const id = ch.string(memoryId)
      return yield* clickhouse.query(
        ch.sql("BacklinkStore.naming")`
          SELECT memory_id, memory_key, agent, user_id, status, duplicate_of, superseded_by,
            has(conflict_with, ${id}) AS contradicts
          FROM loom.memory FINAL
          WHERE ${inScope(scope)} ${bound === null ? ch.empty : ch.fragment`AND user_id = ${ch.string(bound)}`}
            AND (has(conflict_with, ${id}) OR duplicate_of = ${id} OR superseded_by = ${id})
            AND memory_id != ${id} AND status IN ${ch.array("String", STANDING)}
          ORDER BY memory_key, memory_id LIMIT ${ch.uint32(limit)}`,
        Row
      )
    }),
    digests: Effect.fn("BacklinkStore.digests")(function*(scope, { memory_key, user_id }, limit) {
      const key = ch.string(memory_key)
      return yield* clickhouse.query(
        ch.sql("BacklinkStore.digests")`
          SELECT digest_id, agent, session_id, created_at,
            derived_sha256[indexOf(derived_from, ${key})] AS content_sha256
          FROM loom.session_summaries FINAL
          WHERE ${inScope(scope)} AND user_id = ${ch.string(user_id)} AND has(derived_from, ${key})
            AND tombstoned_at IS NULL
          ORDER BY created_at DESC, digest_id LIMIT ${ch.uint32(limit)}`,
        DigestRow
      )
    })
  }))
)
