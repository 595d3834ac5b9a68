/**
 * The statement that `memory.search` is held against: the ten rows closest to a question's vector by an exact scan of one
 * namespace, derived rows and heads both read with FINAL, served heads joined by identity and content. The question's
 * vector is bound as a parameter; the answer is parsed but not looked into.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../../src/kernel/Identity.ts"
import { SERVED_STATUSES } from "../../src/memory/MemoryModel.ts"
import { inScope } from "../../src/memory/MemoryRowsClickhouse.ts"
import { ch } from "../../src/platform/Clickhouse.ts"
import type { Clickhouse, Statement } from "../../src/platform/Clickhouse.ts"
import { KEY_DAMPING } from "../../src/retrieval/SearchIndex.ts"

export const LIMIT = 10

const place = ch.fragment`agent, user_id, session_id, memory_key, content_sha256`

// The distance is taken before the join, which measured a fifth faster than after it. On a million rows it takes longer than
// a read of the server may.
const nearestServed = (scope: Scope, embedderId: string, vector: Float32Array): Statement =>
  ch.sql("bench.rawSearch", { max_execution_time: 300 })`SELECT heads.memory_id, heads.tags, derived.*
    FROM (
      SELECT ${place}, excerpt, cosineDistance(value_vector, ${ch.array("Float32", Array.from(vector))}) AS distance
      FROM loom.memory_embeddings FINAL
      WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)}
    ) AS derived
    INNER JOIN (
      SELECT ${place}, memory_id, tags FROM loom.memory FINAL
      WHERE ${inScope(scope)} AND status IN ${ch.array("String", SERVED_STATUSES)}
    ) AS heads USING (${place})
    ORDER BY distance LIMIT ${ch.uint32(LIMIT)}`

/** What the vector leg is to find, by whole vectors: a memory is as close as its value, or as its key in part. */
const exactServed = (scope: Scope, embedderId: string, vector: Float32Array): Statement => {
  const question = ch.array("Float32", Array.from(vector))
  return ch.sql("bench.exactSearch", { max_execution_time: 300 })`SELECT heads.memory_id AS memory_id
    FROM (
      SELECT ${place}, greatest(
        1 - cosineDistance(value_vector, ${question}), ${
    ch.float64(KEY_DAMPING)
  } * (1 - cosineDistance(key_vector, ${question}))
      ) AS closeness
      FROM loom.memory_embeddings FINAL
      WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)}
    ) AS derived
    INNER JOIN (
      SELECT ${place}, memory_id FROM loom.memory FINAL
      WHERE ${inScope(scope)} AND status IN ${ch.array("String", SERVED_STATUSES)}
    ) AS heads USING (${place})
    ORDER BY closeness DESC LIMIT ${ch.uint32(LIMIT)}`
}

const Found = Schema.Struct({ memory_id: Schema.String })

/** The ids of the ten memories that are closest to a vector, by an exact scan. */
export const exact = (clickhouse: Clickhouse["Type"], scope: Scope, embedderId: string, vector: Float32Array) =>
  Effect.map(
    clickhouse.query(exactServed(scope, embedderId, vector), Found),
    (rows) => rows.map(({ memory_id }) => memory_id)
  )

export const search = (clickhouse: Clickhouse["Type"], scope: Scope, embedderId: string, vector: Float32Array) =>
  clickhouse.query(nearestServed(scope, embedderId, vector), Schema.Unknown)
