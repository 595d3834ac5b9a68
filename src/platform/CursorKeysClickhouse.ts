/** Keys of cursors in `loom.cursor_keys`. Nothing is ever removed: a cursor may name any of them until it is too old. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "./Clickhouse.ts"
import { CursorKeys } from "./CursorKeys.ts"

const Row = Schema.Struct({ key_id: Schema.String, secret: Schema.String })

export const layer: Layer.Layer<CursorKeys, never, Clickhouse> = Layer.effect(
  CursorKeys,
  Effect.map(Clickhouse, (clickhouse) => ({
    all: clickhouse.query(
      ch.sql("CursorKeys.all")`SELECT key_id, secret FROM loom.cursor_keys FINAL ORDER BY created_at, key_id`,
      Row
    ),
    add: Effect.fn("CursorKeys.add")(function*({ key_id, secret }) {
      yield* clickhouse.insert("loom.cursor_keys", [{ key_id, secret }])
    })
  }))
)
