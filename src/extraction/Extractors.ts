/**
 * Who finds facts, by what a job asks for: the language model where one is configured, else the rules. A job that asks for a
 * model is nobody's as long as there is none.
 */
import * as Context from "effect/Context"
import type { Patience } from "../platform/LanguageModel.ts"
import type { ExtractorChoice } from "./ExtractionJobModel.ts"
import type { Extractor } from "./Extractor.ts"

export interface Asked {
  readonly choice: ExtractorChoice
  readonly patience: Patience
  /** The longest reply of a model, in tokens; 0 leaves it to the extractor. */
  readonly maxTokens: number
}

export class Extractors extends Context.Tag("loom/extraction/Extractors")<Extractors, {
  /** Whether there is a language model. */
  readonly hasModel: boolean
  /** Undefined where a model is asked for and there is none. */
  readonly choose: (asked: Asked) => Extractor["Type"] | undefined
}>() {}

/** Whether a job of this choice asks a language model. */
export const asksModel = ({ hasModel }: Pick<Extractors["Type"], "hasModel">, choice: ExtractorChoice): boolean =>
  choice === "model" || (choice === "auto" && hasModel)
