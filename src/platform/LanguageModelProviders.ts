/**
 * The language models of two providers, by their own protocols: the responses of OpenAI and the messages of Anthropic. Their
 * address may be another one, such as that of a proxy.
 */
import * as Anthropic from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as OpenAi from "@effect/ai-openai/OpenAiClient"
import * as OpenAiModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { LanguageModel } from "./LanguageModel.ts"
import * as LanguageModelAi from "./LanguageModelAi.ts"

export interface ProviderOptions {
  readonly provider: "openai" | "anthropic"
  /** The base in place of the provider's own: `https://host/v1` for OpenAI, `https://host` for Anthropic. */
  readonly url: string | undefined
  readonly key: Redacted.Redacted | undefined
  readonly model: string
  readonly timeout: Duration.DurationInput
}

/** Neither trace headers for a third party, nor spans; and a failure keeps its status whatever the words beside it are. */
const transformClient = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  client.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.filterStatusOk
  )

export const layer = (
  { key: apiKey, model, provider, timeout, url }: ProviderOptions
): Layer.Layer<LanguageModel, never, HttpClient.HttpClient> => {
  const apiUrl = url?.replace(/\/+$/, "")
  const client = { apiKey, apiUrl, transformClient }
  return provider === "openai"
    ? LanguageModelAi.layer({
      model,
      timeout,
      limited: (asked, max_output_tokens) => OpenAiModel.withConfigOverride(asked, { max_output_tokens })
    }).pipe(
      // Nothing of a prompt stays with the provider longer than it must.
      Layer.provide(OpenAiModel.layer({ model, config: { store: false } })),
      Layer.provide(OpenAi.layer(client))
    )
    : LanguageModelAi.layer({
      model,
      timeout,
      limited: (asked, max_tokens) => AnthropicModel.withConfigOverride(asked, { max_tokens })
    }).pipe(
      Layer.provide(AnthropicModel.layer({ model })),
      Layer.provide(Anthropic.layer(client))
    )
}
