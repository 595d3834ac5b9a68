/**
 * Which language model a process uses: the one behind `LOOM_LLM_URL`, or none. All wrong values are told at once, before
 * anything starts.
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

// A model on a laptop writes some ten words a second, and an answer has a few sentences.
export const DEFAULT_TIMEOUT_SECONDS = 20
// Nobody waits longer for an answer; the clients themselves give up after 60 seconds.
const LONGEST_TIMEOUT_SECONDS = 600

const fields = Config.all({
  /** Base of an OpenAI-compatible server, for example `http://127.0.0.1:11434/v1`. */
  url: Config.option(Config.url("LLM_URL")),
  /** Its model; required with the URL. */
  model: Config.option(Config.nonEmptyString("LLM_MODEL")),
  /** Its bearer token. */
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

const choose = (
  { key, model, timeout, url }: Config.Config.Success<typeof fields>
): Either.Either<OpenAi.OpenAiOptions | null, ConfigError.ConfigError> => {
  if (Option.isNone(url)) return Either.right(null)
  if (url.value.protocol !== "http:" && url.value.protocol !== "https:") {
    return Either.left(ConfigError.InvalidData(["LLM_URL"], "expected an http or https address"))
  }
  return Option.match(model, {
    onNone: () => Either.left(ConfigError.MissingData(["LLM_MODEL"], "needed with LOOM_LLM_URL")),
    onSome: (name) =>
      Either.right({
        url: url.value.href,
        model: name,
        key: Option.getOrUndefined(key),
        timeout: Duration.seconds(timeout)
      })
  })
}

/** Null for no model. */
export const config: Config.Config<OpenAi.OpenAiOptions | null> = Config.nested(
  Config.mapOrFail(fields, choose),
  "LOOM"
)

export const layerConfig: Layer.Layer<LanguageModel, ConfigError.ConfigError, HttpClient.HttpClient> = Layer
  .unwrapEffect(Effect.map(config, (options) => options === null ? layerNone : OpenAi.layer(options)))
