/** The verb that tells what language models took. Counts alone: nothing of what was asked or said. */
import * as Schema from "effect/Schema"
import { NamespaceName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"

const counts = {
  calls: Schema.Number,
  /** Of these, those without a reply. */
  failed: Schema.Number,
  tokens_in: Schema.Number,
  tokens_out: Schema.Number,
  /** By the prices that were configured at the time; null without. */
  cost: Schema.NullOr(Schema.Number)
}

export const ModelUsage = make("model.usage", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Tell what the language model took: calls, tokens and cost by day, purpose and model, and the day's budget.",
    when: "You look for what language models cost, or met MODEL_BUDGET_SPENT.",
    whenNot: "You want to know whether there is a language model (memory.ask tells its source).",
    args:
      "days goes back from today (UTC), 30 by default. It tells of the namespace; an admin who names none is told of all that the token opens, together."
  },
  payload: Schema.Struct({
    namespace: Schema.optional(NamespaceName),
    days: Schema.optional(Schema.Int.pipe(Schema.between(1, 366)))
  }),
  answer: Schema.Struct({
    org: Schema.String,
    /** Null: all that the token opens. */
    namespace: Schema.NullOr(Schema.String),
    /** The configured model; null when there is none. */
    model: Schema.NullOr(Schema.String),
    usage: Schema.Array(Schema.Struct({
      day: Schema.String,
      purpose: Schema.String,
      model: Schema.String,
      ...counts
    })),
    total: Schema.Struct(counts),
    /** What each namespace may take in a day; null for as much as it likes. */
    tokens_per_day: Schema.NullOr(Schema.Number),
    /** What of that is left to this namespace today; null without a budget, or for several namespaces. */
    tokens_left_today: Schema.NullOr(Schema.Number)
  })
})
