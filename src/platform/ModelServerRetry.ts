/**
 * What the servers of models have in common: what a status of theirs means, and whether to send a request again: only for
 * reasons that pass by themselves, with growing jittered pauses, never sooner than the server asked, never longer than a
 * caller waits.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** One failed request: why, and the milliseconds the server asked us to wait. */
export interface Failed {
  readonly reason: string
  readonly retryAfter?: number | undefined
}

/** `overloaded`: 429; `server`: 408 or 5xx; `refused`: the content is at fault; `rejected`: key, model or address are. */
const reasonOf = (status: number): "overloaded" | "server" | "refused" | "rejected" =>
  status === 429
    ? "overloaded"
    : status === 408 || status >= 500
    ? "server"
    : status === 400 || status === 413 || status === 422
    ? "refused"
    : "rejected"

/**
 * A failure by its status and its `retry-after` in seconds, as rate limiters send it; its date form would need both clocks
 * to agree.
 */
export const failureOf = (status: number, retryAfter: string | undefined) => {
  const seconds = retryAfter === undefined || retryAfter.trim() === "" ? Number.NaN : Number(retryAfter)
  return {
    reason: reasonOf(status),
    status,
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds * 1000 } : {})
  }
}

const passing: ReadonlySet<string> = new Set(["transport", "overloaded", "server"])

export interface Patience {
  /** How often a request is sent again. */
  readonly tries: number
  /** Milliseconds; a server that asks for a longer pause is given up. */
  readonly longestPause: number
  /** Before the first time; each further pause is three times as long. 200 ms unless given. */
  readonly firstPause?: Duration.DurationInput
}

export const retrying = ({ firstPause = "200 millis", longestPause, tries }: Patience) => {
  const schedule = Schedule.exponential(firstPause, 3).pipe(
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(tries)),
    Schedule.intersect(Schedule.identity<Failed>()),
    Schedule.modifyDelay(([, failure], delay) => Duration.max(delay, Duration.millis(failure.retryAfter ?? 0)))
  )
  return <A, E extends Failed, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(request, {
      schedule,
      while: ({ reason, retryAfter }) => passing.has(reason) && (retryAfter ?? 0) <= longestPause
    })
}
