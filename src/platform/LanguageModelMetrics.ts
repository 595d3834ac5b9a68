/** Counts what goes to a language model, by purpose: calls and their outcome, tokens, seconds, cost; never a text. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPurpose } from "./LanguageModel.ts"
import { costOf, ModelTerms } from "./ModelTerms.ts"

const calls = Metric.counter("loom_llm_calls_total", {
  description:
    "Calls of the language model, by purpose and outcome (ok, refused or failed); a call may take several tries",
  incremental: true
})

const failures = Metric.counter("loom_llm_failures_total", {
  description: "Tries at the language model that failed, by purpose and reason",
  incremental: true
})

const tokens = Metric.counter("loom_llm_tokens_total", {
  description: "Tokens as the model's server counted them, by purpose and direction (in or out)",
  incremental: true
})

const cost = Metric.counter("loom_llm_cost_total", {
  description: "Cost of these tokens by LOOM_LLM_PRICE_IN and LOOM_LLM_PRICE_OUT, in their currency, by purpose",
  incremental: true
})

// From a kept answer to what a worker waits for.
const durations = Metric.histogram(
  "loom_llm_duration_seconds",
  MetricBoundaries.fromIterable([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300]),
  "Seconds that a call of the language model takes, all its tries and pauses included"
)

/** Notes one try that failed. */
export const failed = (purpose: ModelPurpose, reason: string): Effect.Effect<void> =>
  Metric.update(Metric.tagged(Metric.tagged(failures, "purpose", purpose), "reason", reason), 1)

/** The same model, counted. */
export const layer: Layer.Layer<LanguageModel, never, LanguageModel | ModelTerms> = Layer.effect(
  LanguageModel,
  Effect.gen(function*() {
    const model = yield* LanguageModel
    const terms = yield* ModelTerms
    return {
      ...model,
      generate: (prompt) =>
        Effect.gen(function*() {
          const began = yield* Clock.currentTimeNanos
          return yield* Effect.onExit(model.generate(prompt), (exit) =>
            Effect.gen(function*() {
              const seconds = Number((yield* Clock.currentTimeNanos) - began) / 1e9
              const outcome = exit._tag === "Success"
                ? "ok"
                : exit.cause._tag === "Fail" && exit.cause.error._tag === "Refusal"
                ? "refused"
                : "failed"
              const { purpose } = prompt
              yield* Metric.update(Metric.tagged(Metric.tagged(calls, "purpose", purpose), "outcome", outcome), 1)
              yield* Metric.update(Metric.tagged(durations, "purpose", purpose), seconds)
              if (exit._tag === "Failure") return
              const { tokensIn, tokensOut } = exit.value
              const counter = Metric.tagged(tokens, "purpose", purpose)
              yield* Metric.update(Metric.tagged(counter, "direction", "in"), tokensIn ?? 0)
              yield* Metric.update(Metric.tagged(counter, "direction", "out"), tokensOut ?? 0)
              yield* Metric.update(
                Metric.tagged(cost, "purpose", purpose),
                costOf(terms, { tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0 }) ?? 0
              )
            }))
        })
    }
  })
)
