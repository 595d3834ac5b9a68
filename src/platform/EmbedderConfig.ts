/**
 * Which embedder a process uses: a remote one where `LOOM_EMBEDDINGS_URL` is set, else the one that `LOOM_EMBEDDER`
 * names. All wrong values are told at once, before anything starts.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Corrupt, Unavailable } from "../kernel/LoomError.ts"
import type { Embedder } from "./Embedder.ts"
import * as OpenAi from "./EmbedderOpenAi.ts"
import * as Replay from "./EmbedderReplay.ts"
import { layerTest } from "./EmbedderTest.ts"
import * as UseLite from "./EmbedderUseLite.ts"

// Longer than the longest vectors of any known model; a slip of the keyboard should not allocate gigabytes.
const mostDimensions = 8_192

export type EmbedderChoice =
  | { readonly kind: "openai"; readonly options: OpenAi.OpenAiOptions }
  | { readonly kind: "use-lite" }
  | { readonly kind: "test" }
  | { readonly kind: "replay"; readonly file: string }

const fields = Config.all({
  /** Base of an OpenAI-compatible server, for example `http://127.0.0.1:8080/v1`. */
  url: Config.option(Config.url("EMBEDDINGS_URL")),
  /** Its bearer token. */
  key: Config.option(Config.redacted("EMBEDDINGS_KEY")),
  /** Its model; required with the URL. */
  model: Config.option(Config.nonEmptyString("EMBEDDINGS_MODEL")),
  /** The length of the model's vectors; required with the URL. */
  dimensions: Config.option(
    Config.integer("EMBEDDINGS_DIMS").pipe(
      Config.validate({ message: `expected 1 to ${mostDimensions}`, validation: (n) => n >= 1 && n <= mostDimensions })
    )
  ),
  /** Whether to ask for that length in each request, for models that can shorten their vectors. */
  sendDimensions: Config.withDefault(Config.boolean("EMBEDDINGS_SEND_DIMS"), false),
  /** The embedder without a URL: `use-lite` (offline model), `test` (word hashes) or `replay` (a file). */
  embedder: Config.withDefault(Config.literal("use-lite", "test", "replay")("EMBEDDER"), "use-lite"),
  /** The file that `replay` reads; required with it. */
  replay: Config.option(Config.nonEmptyString("EMBEDDER_REPLAY"))
})

const choose = (
  { dimensions, embedder, key, model, replay, sendDimensions, url }: Config.Config.Success<typeof fields>
): Either.Either<EmbedderChoice, ConfigError.ConfigError> => {
  if (Option.isNone(url)) {
    if (embedder !== "replay") return Either.right({ kind: embedder })
    return Option.match(replay, {
      onNone: () => Either.left(missing("EMBEDDER_REPLAY", "needed with LOOM_EMBEDDER=replay")),
      onSome: (file) => Either.right({ kind: "replay", file })
    })
  }
  if (url.value.protocol !== "http:" && url.value.protocol !== "https:") {
    return Either.left(ConfigError.InvalidData(["EMBEDDINGS_URL"], "expected an http or https address"))
  }
  if (Option.isSome(model) && Option.isSome(dimensions)) {
    return Either.right({
      kind: "openai",
      options: {
        url: url.value.href,
        key: Option.getOrUndefined(key),
        model: model.value,
        dimensions: dimensions.value,
        sendDimensions
      }
    })
  }
  const absent = [
    ...(Option.isNone(model) ? [missing("EMBEDDINGS_MODEL", "needed with LOOM_EMBEDDINGS_URL")] : []),
    ...(Option.isNone(dimensions) ? [missing("EMBEDDINGS_DIMS", "needed with LOOM_EMBEDDINGS_URL")] : [])
  ]
  return Either.left(absent.reduce((all, one) => ConfigError.And(all, one)))
}

export const config: Config.Config<EmbedderChoice> = Config.nested(Config.mapOrFail(fields, choose), "LOOM")

/** The configured embedder; the HTTP client serves the remote one only. */
export const layerConfig: Layer.Layer<
  Embedder,
  ConfigError.ConfigError | Unavailable | Corrupt,
  HttpClient.HttpClient
> = Layer.unwrapEffect(Effect.map(config, (choice) => layerOf(choice)))

export const layerOf = (
  choice: EmbedderChoice
): Layer.Layer<Embedder, Unavailable | Corrupt, HttpClient.HttpClient> => {
  switch (choice.kind) {
    case "openai":
      return OpenAi.layer(choice.options)
    case "use-lite":
      return UseLite.layer
    case "test":
      return layerTest
    case "replay":
      return Replay.layer({ file: choice.file })
  }
}

const missing = (name: string, why: string) => ConfigError.MissingData([name], why)
