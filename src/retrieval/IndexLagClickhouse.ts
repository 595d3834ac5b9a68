/** Counts the served heads whose content has no row of the embedder in use. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { SERVED_STATUSES } from "../memory/MemoryModel.ts"
import { UNEMBEDDED_TYPES } from "../memory/MemoryType.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { Embedder } from "../platform/Embedder.ts"
import { IndexLag, make } from "./IndexLag.ts"
import { placeColumns, within } from "./SearchFilterClickhouse.ts"

const PendingRow = Schema.Struct({ pending: Schema.Number })

// Places are compared by a 64-bit hash, as everywhere in a search.
const pending = (scope: Scope, user_id: string | null, embedderId: string, now: number): Statement => {
  const slice = within(scope, { agent: null, user_id, session_ids: [] })
  return ch.sql("IndexLag.pending")`SELECT toUInt32(count()) AS pending FROM loom.memory FINAL
    WHERE ${slice} AND status IN ${ch.array("String", SERVED_STATUSES)} AND sensitivity != 'high'
      AND value_kind != 'redacted' AND memory_type NOT IN ${ch.array("String", UNEMBEDDED_TYPES)}
      AND (expires_at IS NULL OR expires_at > ${ch.dateTime64(now)})
      AND (valid_to IS NULL OR valid_to > ${ch.dateTime64(now)})
      AND sipHash64(${placeColumns}) NOT IN (
        SELECT sipHash64(${placeColumns}) FROM loom.memory_embeddings
        WHERE ${slice} AND embedder_id = ${ch.string(embedderId)})`
}

export const layer: Layer.Layer<IndexLag, never, Clickhouse | Embedder> = Layer.effect(
  IndexLag,
  Effect.gen(function*() {
    const clickhouse = yield* Clickhouse
    const embedder = yield* Embedder
    return yield* make((scope, user_id) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* clickhouse.query(pending(scope, user_id, embedder.id, now), PendingRow)
        return row?.pending ?? 0
      })
    )
  })
)
