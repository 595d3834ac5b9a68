/**
 * What the parts of a process read of the configuration, beside the settings of the process itself: read once before
 * anything starts, so that every wrong value is told at once. The parts read theirs once more.
 */
import * as Config from "effect/Config"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"
import * as LanguageModelConfig from "../../src/platform/LanguageModelConfig.ts"
import * as ModelTerms from "../../src/platform/ModelTerms.ts"
import * as Telemetry from "../../src/platform/Telemetry.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import * as Logging from "./Logging.ts"

export const config = Config.all({
  embedder: EmbedderConfig.config,
  languageModel: LanguageModelConfig.config,
  modelTerms: ModelTerms.config,
  sensitivity: SensitivityPolicy.setting,
  rank: RankPolicy.setting,
  gate: GatePolicy.setting,
  logging: Logging.config,
  telemetry: Telemetry.config
})
