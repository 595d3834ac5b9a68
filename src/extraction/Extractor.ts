/**
 * The port to whoever finds facts in a transcript. An extractor decides nothing: it mints no keys, writes nothing and
 * knows nothing of what is stored. The same transcript may be given to it any number of times.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Overloaded, Refusal, Unavailable } from "../kernel/LoomError.ts"
import type { Extracted, Transcript } from "./FactModel.ts"

export class Extractor extends Context.Tag("loom/extraction/Extractor")<Extractor, {
  /** What jobs and receipts name it by: `rules`, or the configured model. */
  readonly name: string
  /** Whether it asks a language model, and may thus fail for a time. */
  readonly isModel: boolean
  /**
   * `Unavailable` and `Overloaded` when the model does not answer: the same again may help. A refusal when it never will,
   * such as replies that hold no facts in any form.
   */
  readonly extract: (transcript: Transcript) => Effect.Effect<Extracted, Unavailable | Overloaded | Refusal>
}>() {}
