/** `Unembedded` in ClickHouse: the heads against the vectors, compared by a hash of place and content. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import { embeddable } from "./MemoryRepairClickhouse.ts"
import { Unembedded } from "./Unembedded.ts"

const LackRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, memories: UInt64 })

// Two that clash hide a memory that lacks a vector from this look; the repair of its namespace compares the texts.
const content = ch.fragment`cityHash64(org, namespace, agent, user_id, session_id, memory_key, content_sha256)`

export const layer: Layer.Layer<Unembedded, never, Clickhouse> = Layer.effect(
  Unembedded,
  Effect.map(Clickhouse, ({ query }) =>
    Unembedded.of({
      find: Effect.fn("Unembedded.find")(function*(embedderId, limit) {
        const rows = yield* query(
          ch.sql("Unembedded.find")`SELECT org, namespace, count() AS memories FROM loom.memory FINAL
            WHERE ${embeddable} AND ${content} NOT IN (
              SELECT ${content} FROM loom.memory_embeddings WHERE embedder_id = ${ch.string(embedderId)})
            GROUP BY org, namespace ORDER BY memories DESC, org, namespace LIMIT ${ch.uint64(BigInt(limit))}`,
          LackRow
        )
        return rows.map(({ memories, ...scope }) => ({ scope, memories: Number(memories) }))
      })
    }))
)
