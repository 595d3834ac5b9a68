/**
 * `UseStore` in `loom.memory_uses`. A caller's days are added up in the store, in the order of their values, so that the
 * same rows give the same numbers whatever parts they lie in.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { dayOf, HALF_LIFE_MILLIS } from "./UseModel.ts"
import type { Use } from "./UseModel.ts"
import { UseStore } from "./UseStore.ts"
import type { UsedMemory } from "./UseStore.ts"

const TallyRow = Schema.Struct({
  memory_id: Schema.String,
  owner_id: Schema.String,
  caller: Schema.String,
  credit: Schema.Number,
  harm: Schema.Number,
  last_at: EpochMillis,
  uses: UInt64,
  harms: UInt64
})

const PlaceRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, memory_id: Schema.String })

// As many as a statement takes well.
const IDS_AT_ONCE = 1_000

const tallies = ({ namespace, org }: Scope, ids: ReadonlyArray<string>): Statement =>
  ch.sql("UseStore.tallies")`SELECT memory_id, any(day_owner) AS owner_id, caller, max(day_at) AS last_at,
      sum(day_uses) AS uses, sum(day_harms) AS harms,
      arraySort(groupArray((day_at, day_credit, day_harm))) AS days,
      arraySum(d -> d.2 * exp2((toUnixTimestamp64Milli(d.1) - toUnixTimestamp64Milli(last_at)) / ${
    ch.float64(HALF_LIFE_MILLIS)
  }), days) AS credit,
      arraySum(d -> d.3 * exp2((toUnixTimestamp64Milli(d.1) - toUnixTimestamp64Milli(last_at)) / ${
    ch.float64(HALF_LIFE_MILLIS)
  }), days) AS harm
    FROM (
      SELECT memory_id, any(owner_id) AS day_owner, caller, day, max(at) AS day_at, count() AS day_uses,
        countIf(harm > 0) AS day_harms, arrayAvg(arraySort(groupArray(credit))) AS day_credit,
        arrayAvg(arraySort(groupArray(harm))) AS day_harm
      FROM loom.memory_uses FINAL
      WHERE org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}
        AND memory_id IN ${ch.array("String", ids)}
      GROUP BY memory_id, caller, day
    ) GROUP BY memory_id, caller ORDER BY memory_id, caller`

const reported = (since: number, after: UsedMemory | null, limit: number): Statement =>
  ch.sql("UseStore.reported")`SELECT DISTINCT org, namespace, memory_id FROM loom.memory_uses
    WHERE recorded_at >= ${ch.dateTime64(since)}${
    after === null
      ? ch.empty
      : ch.fragment` AND (org, namespace, memory_id) > (${ch.string(after.scope.org)}, ${
        ch.string(after.scope.namespace)
      }, ${ch.string(after.memory_id)})`
  } ORDER BY org, namespace, memory_id LIMIT ${ch.uint32(limit)}`

const rowOf = ({ at, recorded_at, scope, ...use }: Use): object => ({
  ...scope,
  ...use,
  day: dayOf(at),
  at: new Date(at),
  recorded_at: new Date(recorded_at),
  version: BigInt(Math.floor(recorded_at)) * 1_000_000n
})

const make = (clickhouse: Clickhouse["Type"]): UseStore["Type"] => ({
  record: Effect.fn("UseStore.record")(function*(uses) {
    if (uses.length > 0) yield* clickhouse.insert("loom.memory_uses", uses.map(rowOf))
  }),
  tallies: Effect.fn("UseStore.tallies")(function*(scope, ids) {
    const found = yield* Effect.forEach(
      Arr.chunksOf([...new Set(ids)].sort(), IDS_AT_ONCE),
      (turn) => clickhouse.query(tallies(scope, turn), TallyRow)
    )
    return found.flat().map(({ harms, uses, ...tally }) => ({ ...tally, uses: Number(uses), harms: Number(harms) }))
  }),
  reported: Effect.fn("UseStore.reported")(function*(since, { after, limit }) {
    const rows = yield* clickhouse.query(reported(since, after, limit), PlaceRow)
    return rows.map(({ memory_id, namespace, org }) => ({ scope: { org, namespace }, memory_id }))
  })
})

export const layer: Layer.Layer<UseStore, never, Clickhouse> = Layer.effect(UseStore, Effect.map(Clickhouse, make))
