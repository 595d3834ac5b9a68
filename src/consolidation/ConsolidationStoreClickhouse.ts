/**
 * `ConsolidationStore` on ClickHouse, under either authority: what a copy is behind is found by the next look, and the actor
 * has the last word on every row.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { inScope } from "../memory/MemoryRowsClickhouse.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { ConsolidationStore } from "./ConsolidationStore.ts"
import type { FragmentFilter } from "./ConsolidationStore.ts"

const PlaceRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String
})

const places = (scope: Scope, { entity, keys, prefix, user_id }: FragmentFilter, limit: number): Statement =>
  ch.sql("ConsolidationStore.places")`SELECT agent, user_id, session_id, memory_key FROM loom.memory FINAL
    WHERE ${
    ch.join([
      inScope(scope),
      ch.fragment`status = 'active' AND sensitivity != 'high' AND value_kind = 'string' AND source_class != 'derived'`,
      ...(user_id === null ? [] : [ch.fragment`user_id = ${ch.string(user_id)}`]),
      ...(prefix === null ? [] : [ch.fragment`startsWith(memory_key, ${ch.string(prefix)})`]),
      ...(keys === null ? [] : [ch.fragment`memory_key IN ${ch.array("String", keys)}`]),
      ...(entity === null ? [] : [ch.fragment`has(entities, ${ch.string(entity)})`])
    ], " AND ")
  }
    ORDER BY user_id, memory_key, agent, session_id LIMIT ${ch.uint32(limit)}`

export const layer: Layer.Layer<ConsolidationStore, never, Clickhouse> = Layer.effect(
  ConsolidationStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    places: Effect.fn("ConsolidationStore.places")((scope, filter, limit) =>
      clickhouse.query(places(scope, filter, limit), PlaceRow)
    )
  }))
)
