/** What went wrong with one request to a language model, and what its caller is told when nothing helped. */
import * as Schema from "effect/Schema"
import { Overloaded, Unavailable } from "../kernel/LoomError.ts"
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

// Rate limits of model servers are counted by the minute; one that does not say when to come again is asked in between.
const UNTOLD_PAUSE_SECONDS = 15

/** What the caller meets; the log has said why. */
export const errorOf = ({ reason, retryAfter }: LanguageModelFailure): Unavailable | Overloaded =>
  reason === "overloaded"
    ? new Overloaded({
      retry_after_s: retryAfter === undefined ? UNTOLD_PAUSE_SECONDS : Math.max(1, Math.ceil(retryAfter / 1000))
    })
    : new Unavailable({ operation: "LanguageModel.generate" })
