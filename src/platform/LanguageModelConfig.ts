/**
 * Which language model a process uses: one behind any OpenAI-compatible server (`LOOM_LLM_URL`), one of a provider
 * (`LOOM_LLM_PROVIDER`), or none. All wrong values are told at once, before anything starts.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { layerNone } from "./LanguageModel.ts"
import type { LanguageModel } from "./LanguageModel.ts"
import * as OpenAi from "./LanguageModelOpenAi.ts"
import * as Providers from "./LanguageModelProviders.ts"
import type { ProviderOptions } from "./LanguageModelProviders.ts"

// A model on a laptop writes some ten words a second, and an answer has a few sentences.
export const DEFAULT_TIMEOUT_SECONDS = 20
// Nobody waits longer for an answer; the clients themselves give up after 60 seconds.
const LONGEST_TIMEOUT_SECONDS = 600

export type ModelOptions = OpenAi.OpenAiOptions & { readonly provider: "compatible" } | ProviderOptions

const fields = Config.all({
  /** `compatible`: chat completions of whatever server; `openai`: responses; `anthropic`: messages. */
  provider: Config.withDefault(Config.literal("compatible", "openai", "anthropic")("LLM_PROVIDER"), "compatible"),
  /** Base of the server, for example `http://127.0.0.1:11434/v1`; a provider has its own. */
  url: Config.option(Config.url("LLM_URL")),
  /** Its model; required with a URL or a provider. */
  model: Config.option(Config.nonEmptyString("LLM_MODEL")),
  /** Its token; a provider at its own address requires one. */
  key: Config.option(Config.redacted("LLM_API_KEY")),
  timeout: Config.withDefault(
    Config.integer("LLM_TIMEOUT_SECONDS").pipe(
      Config.validate({
        message: `expected 1 to ${LONGEST_TIMEOUT_SECONDS}`,
        validation: (seconds) => seconds >= 1 && seconds <= LONGEST_TIMEOUT_SECONDS
      })
    ),
    DEFAULT_TIMEOUT_SECONDS
  )
})

const missing = (name: string, why: string) => Either.left(ConfigError.MissingData([name], why))

const choose = (
  { key, model, provider, timeout, url }: Config.Config.Success<typeof fields>
): Either.Either<ModelOptions | null, ConfigError.ConfigError> => {
  if (Option.isSome(url) && url.value.protocol !== "http:" && url.value.protocol !== "https:") {
    return Either.left(ConfigError.InvalidData(["LLM_URL"], "expected an http or https address"))
  }
  const shared = { key: Option.getOrUndefined(key), timeout: Duration.seconds(timeout) }
  if (provider === "compatible") {
    if (Option.isNone(url)) return Either.right(null)
    if (Option.isNone(model)) return missing("LLM_MODEL", "needed with LOOM_LLM_URL")
    return Either.right({ ...shared, provider, model: model.value, url: url.value.href })
  }
  if (Option.isNone(model)) return missing("LLM_MODEL", "needed with LOOM_LLM_PROVIDER")
  if (Option.isNone(url) && Option.isNone(key)) {
    return missing("LLM_API_KEY", `needed with LOOM_LLM_PROVIDER=${provider}`)
  }
  return Either.right({
    ...shared,
    provider,
    model: model.value,
    url: Option.getOrUndefined(Option.map(url, ({ href }) => href))
  })
}

/** Null for no model. */
export const config: Config.Config<ModelOptions | null> = Config.nested(Config.mapOrFail(fields, choose), "LOOM")

const layerOf = (options: ModelOptions | null): Layer.Layer<LanguageModel, never, HttpClient.HttpClient> =>
  options === null
    ? layerNone
    : options.provider === "compatible"
    ? OpenAi.layer(options)
    : Providers.layer(options)

export const layerConfig: Layer.Layer<LanguageModel, ConfigError.ConfigError, HttpClient.HttpClient> = Layer
  .unwrapEffect(Effect.map(config, layerOf))
