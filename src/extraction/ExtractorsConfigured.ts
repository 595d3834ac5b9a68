/** `Extractors` over the configured language model and the extractor that asks none. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LanguageModel } from "../platform/LanguageModel.ts"
import { Extractor } from "./Extractor.ts"
import { asksModel, Extractors } from "./Extractors.ts"
import * as ModelExtractor from "./ModelExtractor.ts"

export const layer: Layer.Layer<Extractors, never, LanguageModel | Extractor> = Layer.effect(
  Extractors,
  Effect.gen(function*() {
    const model = yield* LanguageModel
    const rules = yield* Extractor
    const hasModel = model.model !== null
    return {
      hasModel,
      choose: ({ choice, maxTokens, patience }) =>
        !asksModel({ hasModel }, choice)
          ? rules
          : hasModel
          ? ModelExtractor.make(model, { maxTokens, patience })
          : undefined
    }
  })
)
