/**
 * Any provider of `@effect/ai` as our language model, for deployments that bring one. Its spans and errors may hold prompts,
 * so the first are not recorded and of the second only the kind is logged. How long a reply may be is the provider's own
 * setting: `@effect/ai` has none for a single request.
 */
import * as Ai from "@effect/ai/LanguageModel"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../kernel/LoomError.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt, ModelReply } from "./LanguageModel.ts"

export interface AiOptions {
  /** What answers tell as the model. */
  readonly model: string
  readonly timeout: Duration.DurationInput
}

export const make = (options: AiOptions): Effect.Effect<typeof LanguageModel.Service, never, Ai.LanguageModel> =>
  Effect.map(Ai.LanguageModel, (ai) => ({
    model: options.model,
    generate: Effect.fn("LanguageModel.generate")(({ system, user }: ModelPrompt) =>
      ai.generateText({ prompt: [{ role: "system", content: system }, { role: "user", content: user }] }).pipe(
        Effect.withTracerEnabled(false),
        Effect.map(({ text, usage }): ModelReply => ({
          text,
          model: options.model,
          tokensIn: usage.inputTokens ?? null,
          tokensOut: usage.outputTokens ?? null
        })),
        Effect.mapError(({ _tag }) => _tag),
        Effect.timeoutFail({ duration: options.timeout, onTimeout: () => "late" }),
        Effect.catchAll((reason) =>
          Effect.logWarning("The language model did not answer").pipe(
            Effect.annotateLogs({ reason, model: options.model }),
            Effect.zipRight(new Unavailable({ operation: "LanguageModel.generate" }))
          )
        )
      )
    )
  }))

export const layer = (options: AiOptions): Layer.Layer<LanguageModel, never, Ai.LanguageModel> =>
  Layer.effect(LanguageModel, make(options))
