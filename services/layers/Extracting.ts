/** From turns to memories: who finds facts in them, and what becomes of these. Verbs and the queue's worker share it. */
import * as Layer from "effect/Layer"
import * as Extraction from "../../src/extraction/Extraction.ts"
import * as ExtractorsConfigured from "../../src/extraction/ExtractorsConfigured.ts"
import * as RuleExtractor from "../../src/extraction/RuleExtractor.ts"

export const layer = Extraction.layer.pipe(
  Layer.provide(ExtractorsConfigured.layer),
  Layer.provide(RuleExtractor.layerRules)
)
