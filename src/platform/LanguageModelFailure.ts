/** What went wrong with one request to a language model, and how patient its caller is. */
import * as Schema from "effect/Schema"
import * as ModelServerRetry from "./ModelServerRetry.ts"

export class LanguageModelFailure extends Schema.TaggedError<LanguageModelFailure>()("LanguageModelFailure", {
  /**
   * `transport`: no whole answer; `overloaded`: 429; `server`: 408 or 5xx; `refused`: the prompt is at fault;
   * `rejected`: key, model or address are at fault; `corrupt`: an answer without a text; `late`: out of time.
   */
  reason: Schema.Literal("transport", "overloaded", "server", "refused", "rejected", "corrupt", "late"),
  status: Schema.optional(Schema.Number),
  /** Milliseconds the server asked us to wait. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  static ofStatus(status: number, retryAfter: string | undefined): LanguageModelFailure {
    return new LanguageModelFailure(ModelServerRetry.failureOf(status, retryAfter))
  }
}

// A reply takes seconds: after a second miss the caller is better served without the model.
const tries = 1
const longestPause = 2_000

export const retrying = ModelServerRetry.retrying({ tries, longestPause })
