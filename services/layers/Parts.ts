/**
 * The parts of a process that a deployment may replace. Each process takes them in the same place, so that a part which
 * serves in one serves in all of them.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Layer from "effect/Layer"
import type { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"
import * as EmbedderMetrics from "../../src/platform/EmbedderMetrics.ts"
import * as LanguageModel from "../../src/platform/LanguageModel.ts"
import * as LanguageModelConfig from "../../src/platform/LanguageModelConfig.ts"
import * as Slices from "./Slices.ts"

export interface Parts<E = never, EM = never> {
  /** The version that `GET /v1/verbs` and OpenAPI tell. */
  readonly version: string
  readonly embedder: Layer.Layer<Embedder, E>
  /** None unless given. */
  readonly languageModel?: Layer.Layer<LanguageModel.LanguageModel, EM>
  readonly policies?: typeof Slices.layerPolicies
}

/** The parts on the stores of the slices, but for those of memory (`Authorities`). */
export const layer = <E, EM = never>({ embedder, languageModel, policies = Slices.layerPolicies }: Parts<E, EM>) =>
  Layer.mergeAll(
    Slices.layerOthers,
    policies,
    Layer.provide(EmbedderMetrics.layer, embedder),
    Layer.provide(Slices.layerModel, languageModel ?? LanguageModel.layerNone)
  )

/** The embedder and the language model that are configured. */
export const configured = (version: string) => ({
  version,
  embedder: Layer.provide(EmbedderConfig.layerConfig, FetchHttpClient.layer),
  languageModel: Layer.provide(LanguageModelConfig.layerConfig, FetchHttpClient.layer)
})
