/** Kept answers of language models in `loom.model_answers`; the latest of a prompt counts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "./Clickhouse.ts"
import { EpochMillis, Flag } from "./ClickhouseValue.ts"
import { ModelAnswerStore } from "./ModelAnswerStore.ts"

const Row = Schema.Struct({ model: Schema.String, reply: Schema.String, truncated: Flag, at: EpochMillis })

export const layer: Layer.Layer<ModelAnswerStore, never, Clickhouse> = Layer.effect(
  ModelAnswerStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    find: Effect.fn("ModelAnswerStore.find")(function*({ namespace, org }, promptHash, since) {
      const [row] = yield* clickhouse.query(
        ch.sql("ModelAnswerStore.find")`SELECT model, reply, truncated, at FROM loom.model_answers
          WHERE org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}
            AND prompt_hash = ${ch.string(promptHash)} AND at >= ${ch.dateTime64(since)}
          ORDER BY at DESC LIMIT 1`,
        Row
      )
      return Option.map(Option.fromNullable(row), ({ reply, ...rest }) => ({ ...rest, text: reply }))
    }),
    keep: Effect.fn("ModelAnswerStore.keep")(function*({ namespace, org }, promptHash, { at, model, text, truncated }) {
      yield* clickhouse.insert("loom.model_answers", [{
        org,
        namespace,
        prompt_hash: promptHash,
        model,
        reply: text,
        truncated,
        at: new Date(at)
      }])
    })
  }))
)
