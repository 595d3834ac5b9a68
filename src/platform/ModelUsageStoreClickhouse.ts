/** What language models took, in `loom.model_usage`, where rows of one kind are added up by the engine in its own time. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "./Clickhouse.ts"
import { UInt64 } from "./ClickhouseValue.ts"
import { ModelUsageStore } from "./ModelUsageStore.ts"

const Row = Schema.Struct({
  day: Schema.String,
  purpose: Schema.String,
  model: Schema.String,
  all_calls: UInt64,
  all_failed: UInt64,
  all_in: UInt64,
  all_out: UInt64,
  all_cost: Schema.Number
})

const Spent = Schema.Struct({ spent: UInt64 })

export const layer: Layer.Layer<ModelUsageStore, never, Clickhouse> = Layer.effect(
  ModelUsageStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    add: Effect.fn("ModelUsageStore.add")(function*(usages) {
      yield* clickhouse.insert(
        "loom.model_usage",
        usages.map(({ calls, cost, day, failed, model, purpose, scope, tokensIn, tokensOut }) => ({
          org: scope.org,
          namespace: scope.namespace,
          day,
          purpose,
          model,
          calls,
          failed,
          tokens_in: tokensIn,
          tokens_out: tokensOut,
          cost
        }))
      )
    }),
    spent: Effect.fn("ModelUsageStore.spent")(function*({ namespace, org }, day) {
      const [row] = yield* clickhouse.query(
        ch.sql("ModelUsageStore.spent")`SELECT sum(tokens_in) + sum(tokens_out) AS spent FROM loom.model_usage
          WHERE org = ${ch.string(org)} AND namespace = ${ch.string(namespace)} AND day = toDate(${ch.string(day)})`,
        Spent
      )
      return Number(row?.spent ?? 0n)
    }),
    since: Effect.fn("ModelUsageStore.since")(function*(org, namespaces, day) {
      const within = namespaces === "*"
        ? ch.empty
        : ch.fragment`AND namespace IN ${ch.array("String", namespaces)}`
      const rows = yield* clickhouse.query(
        ch.sql("ModelUsageStore.since")`SELECT day, purpose, model, sum(calls) AS all_calls, sum(failed) AS all_failed,
            sum(tokens_in) AS all_in, sum(tokens_out) AS all_out, sum(cost) AS all_cost
          FROM loom.model_usage
          WHERE org = ${ch.string(org)} ${within} AND day >= toDate(${ch.string(day)})
          GROUP BY day, purpose, model ORDER BY day DESC, purpose, model`,
        Row
      )
      return rows.map((row) => ({
        day: row.day,
        purpose: row.purpose,
        model: row.model,
        calls: Number(row.all_calls),
        failed: Number(row.all_failed),
        tokensIn: Number(row.all_in),
        tokensOut: Number(row.all_out),
        cost: row.all_cost
      }))
    })
  }))
)
