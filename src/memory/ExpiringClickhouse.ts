/**
 * `Expiring` in ClickHouse. Places are found by the column of expiries alone, which most rows leave empty; only these are
 * then read as heads.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { Expiring } from "./Expiring.ts"
import type { Bounds } from "./Expiring.ts"

const ExpiryRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  user_id: Schema.String,
  memory_id: Schema.String,
  version: UInt64,
  on_expire: Schema.String,
  expires_at: EpochMillis
})

/** The conditions are those of `isDue`. */
const due = (now: number, { limit, ofOne }: Bounds): Statement => {
  const at = ch.dateTime64(now)
  const over = ch.fragment`ifNull(end <= ${at}, false) AND on_expire != 'keep' AND status = 'active'`
  const place = ch.fragment`org, namespace, agent, user_id, session_id, memory_key`
  return ch.sql("Expiring.due")`SELECT org, namespace, user_id, memory_id, version, on_expire,
      assumeNotNull(end) AS expires_at
    FROM (
      SELECT ${place}, memory_id, version, on_expire, expires_at AS end, status, lock_mode, lock_until
      FROM loom.memory FINAL
      WHERE (${place}) IN (SELECT ${place} FROM (SELECT ${place}, on_expire, status, expires_at AS end FROM loom.memory)
        WHERE ${over})
    )
    WHERE ${over} AND (lock_mode = '' OR ifNull(lock_until <= ${at}, false))
    ORDER BY end, memory_id LIMIT ${ch.uint32(ofOne)} BY org, namespace LIMIT ${ch.uint32(limit)}`
}

export const layer: Layer.Layer<Expiring, never, Clickhouse> = Layer.effect(
  Expiring,
  Effect.map(Clickhouse, ({ query }) =>
    Expiring.of({
      due: Effect.fn("Expiring.due")(function*(now, bounds) {
        return yield* query(due(now, bounds), ExpiryRow)
      })
    }))
)
