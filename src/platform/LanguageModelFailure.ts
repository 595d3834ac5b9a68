/**
 * What went wrong with one request to a language model, and whether to send it again: only for reasons that pass by
 * themselves, and never when the server asks for a longer pause than a caller waits.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

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
  /** `retry-after` in seconds, as rate limiters send it; its date form would need both clocks to agree. */
  static ofStatus(status: number, retryAfter: string | undefined): LanguageModelFailure {
    const reason = status === 429
      ? "overloaded"
      : status === 408 || status >= 500
      ? "server"
      : status === 400 || status === 413 || status === 422
      ? "refused"
      : "rejected"
    const seconds = retryAfter === undefined || retryAfter.trim() === "" ? Number.NaN : Number(retryAfter)
    return new LanguageModelFailure({
      reason,
      status,
      ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds * 1000 } : {})
    })
  }
}

const passing: ReadonlySet<string> = new Set(["transport", "overloaded", "server"])

// A reply takes seconds: after a second miss the caller is better served without the model.
const tries = 1
const longestPause = 2_000

const schedule = Schedule.exponential("200 millis", 3).pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(tries)),
  Schedule.intersect(Schedule.identity<LanguageModelFailure>()),
  Schedule.modifyDelay(([, failure], delay) => Duration.max(delay, Duration.millis(failure.retryAfter ?? 0)))
)

export const retrying = <A, R>(
  request: Effect.Effect<A, LanguageModelFailure, R>
): Effect.Effect<A, LanguageModelFailure, R> =>
  Effect.retry(request, {
    schedule,
    while: ({ reason, retryAfter }) => passing.has(reason) && (retryAfter ?? 0) <= longestPause
  })
