/**
 * The same model, which a namespace asks once only for the same thing: answers are kept under the hash of model, prompt and
 * form, within the namespace alone, for thirty days. Off unless an operator asks for it (`LOOM_LLM_CACHE`), since replies hold
 * what people stored. Without the store the model is asked.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { sha256 } from "../kernel/Json.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt, ModelReply } from "./LanguageModel.ts"
import { ModelAnswerStore } from "./ModelAnswerStore.ts"
import { ModelTerms } from "./ModelTerms.ts"

/** How long an answer is given again. */
export const KEEP = Duration.days(30)

const lookups = Metric.counter("loom_llm_answers_total", {
  description: "Prompts looked up among the answers that are kept, by outcome (kept or asked)",
  incremental: true
})

const promptHash = (model: string, { correction, form, maxTokens, system, user }: ModelPrompt): string =>
  sha256(JSON.stringify([
    model,
    system,
    user,
    maxTokens,
    form === undefined ? null : [form.name, form.schema],
    correction === undefined ? null : [correction.said, correction.why]
  ]))

export const make = (
  model: typeof LanguageModel.Service
): Effect.Effect<typeof LanguageModel.Service, never, ModelTerms | ModelAnswerStore> =>
  Effect.gen(function*() {
    const { model: name } = model
    const { keepAnswers } = yield* ModelTerms
    if (name === null || !keepAnswers) return model
    const store = yield* ModelAnswerStore
    return {
      model: name,
      generate: (prompt) =>
        Effect.gen(function*() {
          const hash = promptHash(name, prompt)
          const now = yield* Clock.currentTimeMillis
          const kept = Option.flatten(
            yield* Effect.option(store.find(prompt.scope, hash, now - Duration.toMillis(KEEP)))
          )
          yield* Metric.update(Metric.tagged(lookups, "outcome", Option.isSome(kept) ? "kept" : "asked"), 1)
          if (Option.isSome(kept)) {
            const { model, text, truncated } = kept.value
            return { text, model, tokensIn: 0, tokensOut: 0, truncated } satisfies ModelReply
          }
          const reply = yield* model.generate(prompt)
          const at = yield* Clock.currentTimeMillis
          const { text, truncated = false } = reply
          // The store has logged why it failed; the model is asked again next time.
          yield* Effect.ignore(store.keep(prompt.scope, hash, { model: reply.model, text, truncated, at }))
          return reply
        })
    }
  })

export const layer: Layer.Layer<LanguageModel, never, LanguageModel | ModelTerms | ModelAnswerStore> = Layer.effect(
  LanguageModel,
  Effect.flatMap(LanguageModel, make)
)
