/** `MemoryUsageStore` in `loom.memory_usage`; the last folding of each memory counts. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis } from "../platform/ClickhouseValue.ts"
import { inScope } from "./MemoryRowsClickhouse.ts"
import { MemoryUsageStore } from "./MemoryUsageStore.ts"

const Row = Schema.Struct({
  memory_id: Schema.String,
  user_id: Schema.String,
  credit: Schema.Number,
  harm: Schema.Number,
  last_at: EpochMillis,
  used_count: Schema.Number,
  harm_count: Schema.Number
})

const columns = ch.join(Object.keys(Row.fields).map((name) => ch.identifier(name)))

// As many as a statement takes well.
const IDS_AT_ONCE = 1_000

const make = (clickhouse: Clickhouse["Type"]): MemoryUsageStore["Type"] => ({
  find: Effect.fn("MemoryUsageStore.find")(function*(scope, ids) {
    const found = yield* Effect.forEach(Arr.chunksOf([...new Set(ids)], IDS_AT_ONCE), (turn) =>
      clickhouse.query(
        ch.sql("MemoryUsageStore.find")`SELECT ${columns} FROM loom.memory_usage FINAL
          WHERE ${inScope(scope)} AND memory_id IN ${ch.array("String", turn)} ORDER BY memory_id`,
        Row
      ))
    return found.flat()
  }),
  put: Effect.fn("MemoryUsageStore.put")(function*(scope, usages, at) {
    const version = BigInt(Math.floor(at)) * 1_000_000n
    yield* clickhouse.insert(
      "loom.memory_usage",
      usages.map(({ last_at, ...usage }) => ({ ...scope, ...usage, last_at: new Date(last_at), version }))
    )
  })
})

export const layer: Layer.Layer<MemoryUsageStore, never, Clickhouse> = Layer.effect(
  MemoryUsageStore,
  Effect.map(Clickhouse, make)
)
