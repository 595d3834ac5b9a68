/**
 * What a call of a language model took beyond the reply it gave: prompts that were sent and not answered in whole, since time
 * was up, the caller went away or the connection broke. Their servers count them all the same. Who books a call provides a
 * meter of its own, and adapters note there.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ModelPrompt } from "./LanguageModel.ts"

export interface Meter {
  /** Tokens, estimated. */
  unanswered: number
}

export class ModelMeter extends Context.Reference<ModelMeter>()("loom/platform/ModelMeter", {
  defaultValue: (): Meter => ({ unanswered: 0 })
}) {}

// A token of o200k holds some four bytes of English and somewhat fewer of most else.
const BYTES_PER_TOKEN = 4

export const estimated = (...texts: ReadonlyArray<string>): number =>
  Math.ceil(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / BYTES_PER_TOKEN)

/** The tokens of a prompt, for where nobody counted them. */
export const promptTokens = ({ correction, form, system, user }: ModelPrompt): number =>
  estimated(
    system,
    user,
    correction === undefined ? "" : correction.said + correction.why,
    form === undefined ? "" : JSON.stringify(form.schema)
  )

export const noteUnanswered = (prompt: ModelPrompt): Effect.Effect<void> =>
  Effect.map(ModelMeter, (meter) => {
    meter.unanswered += promptTokens(prompt)
  })
