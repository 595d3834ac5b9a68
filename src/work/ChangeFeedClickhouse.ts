/**
 * `ChangeFeed` over the view `loom.changes`. Its table is sorted by org, namespace and version, so what lies above a version
 * is found by the sort key: a look at what is new reads a few granules of each namespace, not the whole journal.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import { ChangeFeed } from "./ChangeFeed.ts"
import { counting, within } from "./WorkerRowsClickhouse.ts"

const TopRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, top: UInt64 })

const ChangeRow = Schema.Struct({
  version: UInt64,
  change: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  memory_id: Schema.String,
  status: Schema.String,
  write_id: Schema.String,
  cause: Schema.String
})

const BehindRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, changes: UInt64, oldest: UInt64 })

const columns = ch.join(Object.keys(ChangeRow.fields).map((name) => ch.identifier(name)))

const inScope = ({ namespace, org }: Scope): Fragment =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}`

const make = (clickhouse: Clickhouse["Type"]): ChangeFeed["Type"] => ({
  tops: Effect.fn("ChangeFeed.tops")(function*(since) {
    const rows = yield* clickhouse.query(
      ch.sql("ChangeFeed.tops")`SELECT org, namespace, max(version) AS top FROM loom.changes
        WHERE version > ${ch.uint64(since)} GROUP BY org, namespace ORDER BY org, namespace`,
      TopRow
    )
    return rows.map(({ namespace, org, top }) => ({ scope: { org, namespace }, top }))
  }),
  after: Effect.fn("ChangeFeed.after")(function*(scope, position, limit) {
    return yield* clickhouse.query(
      ch.sql("ChangeFeed.after")`SELECT ${columns} FROM loom.changes
        WHERE ${inScope(scope)} AND version > ${ch.uint64(position)} ORDER BY version LIMIT ${ch.uint32(limit)}`,
      ChangeRow
    )
  }),
  at: Effect.fn("ChangeFeed.at")(function*(scope, position) {
    const rows = yield* clickhouse.query(
      ch.sql("ChangeFeed.at")`SELECT ${columns} FROM loom.changes
        WHERE ${inScope(scope)} AND version = ${ch.uint64(position)} LIMIT 1`,
      ChangeRow
    )
    return Option.fromNullable(rows[0])
  }),
  behind: Effect.fn("ChangeFeed.behind")(function*(worker, reach, since) {
    const rows = yield* clickhouse.query(
      ch.sql("ChangeFeed.behind")`SELECT org, namespace, count() AS changes, min(version) AS oldest
        FROM (SELECT org, namespace, version FROM loom.changes WHERE ${within(reach)} AND version > ${ch.uint64(since)})
          AS feed
        LEFT JOIN (${counting(worker, reach)}) AS cursor USING (org, namespace)
        WHERE version > position GROUP BY org, namespace ORDER BY org, namespace`,
      BehindRow
    )
    return rows.map(({ changes, namespace, oldest, org }) => ({
      scope: { org, namespace },
      changes: Number(changes),
      oldest
    }))
  })
})

export const layer: Layer.Layer<ChangeFeed, never, Clickhouse> = Layer.effect(ChangeFeed, Effect.map(Clickhouse, make))
