/** What went wrong with one request to an embedding server, and how patient its caller is. */
import * as Schema from "effect/Schema"
import * as ModelServerRetry from "./ModelServerRetry.ts"

export class EmbeddingsFailure extends Schema.TaggedError<EmbeddingsFailure>()("EmbeddingsFailure", {
  /**
   * `transport`: no whole answer; `overloaded`: 429; `server`: 408 or 5xx; `refused`: the texts are at fault;
   * `rejected`: key, model or address are at fault; `corrupt`: an answer of another shape than asked.
   */
  reason: Schema.Literal("transport", "overloaded", "server", "refused", "rejected", "corrupt"),
  status: Schema.optional(Schema.Number),
  /** The length of the vectors that came, where it is not the one that is configured. */
  received: Schema.optional(Schema.Number),
  /** Milliseconds the server asked us to wait. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  static ofStatus(status: number, retryAfter: string | undefined): EmbeddingsFailure {
    return new EmbeddingsFailure(ModelServerRetry.failureOf(status, retryAfter))
  }
}

// With the first pause a blip is over, with the third a restart of a small server may be.
const tries = 3
// A write waits for its vector: a server that wants a longer pause than this is unavailable for now.
const longestPause = 5_000

export const retrying = ModelServerRetry.retrying({ tries, longestPause })
