/**
 * What went wrong with one request to an embedding server, and whether to send it again: only for reasons that pass
 * by themselves, with growing jittered pauses, never sooner than the server asked, never longer than a caller waits.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

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
  /** `retry-after` in seconds, as rate limiters send it; its date form would need both clocks to agree. */
  static ofStatus(status: number, retryAfter: string | undefined): EmbeddingsFailure {
    const reason = status === 429
      ? "overloaded"
      : status === 408 || status >= 500
      ? "server"
      : status === 400 || status === 413 || status === 422
      ? "refused"
      : "rejected"
    const seconds = retryAfter === undefined || retryAfter.trim() === "" ? Number.NaN : Number(retryAfter)
    return new EmbeddingsFailure({
      reason,
      status,
      ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds * 1000 } : {})
    })
  }
}

const passing: ReadonlySet<string> = new Set(["transport", "overloaded", "server"])

// With the first pause a blip is over, with the third a restart of a small server may be.
const tries = 3
// A write waits for its vector: a server that wants a longer pause than this is unavailable for now.
const longestPause = 5_000

const schedule = Schedule.exponential("200 millis", 3).pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(tries)),
  Schedule.intersect(Schedule.identity<EmbeddingsFailure>()),
  Schedule.modifyDelay(([, failure], delay) => Duration.max(delay, Duration.millis(failure.retryAfter ?? 0)))
)

export const retrying = <A, R>(
  request: Effect.Effect<A, EmbeddingsFailure, R>
): Effect.Effect<A, EmbeddingsFailure, R> =>
  Effect.retry(request, {
    schedule,
    while: ({ reason, retryAfter }) => passing.has(reason) && (retryAfter ?? 0) <= longestPause
  })
