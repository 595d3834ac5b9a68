/** What the edges count of requests: by verb and code alone, so that no tenant, user or key leaves by a metric. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Option from "effect/Option"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { toWire } from "../../src/kernel/LoomError.ts"

const requests = Metric.counter("loom_requests_total", {
  description: "Requests answered, by verb and code; OK is a success",
  incremental: true
})

/** From a hot read of a fraction of a millisecond to the longest that a caller waits. */
export const SECONDS = MetricBoundaries.fromIterable([
  0.0005,
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30
])

const durations = Metric.histogram(
  "loom_request_duration_seconds",
  SECONDS,
  "Seconds from a request's arrival at its verb to the answer"
)

const codeOf = (exit: Exit.Exit<unknown, LoomError>): string =>
  Exit.match(exit, {
    onSuccess: () => "OK",
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => Cause.isInterruptedOnly(cause) ? "INTERRUPTED" : "INTERNAL",
        onSome: (error) => toWire(error).body.detail.code
      })
  })

const requestOf = (verb: string, code: string) => Metric.tagged(Metric.tagged(requests, "verb", verb), "code", code)
const durationOf = (verb: string) => Metric.tagged(durations, "verb", verb)

// Made once for each: a tagged metric looks its place in the registry up anew. Verbs and codes are few.
const ended = new Map<string, ReturnType<typeof requestOf>>()
const timed = new Map<string, ReturnType<typeof durationOf>>()

const kept = <M>(all: Map<string, M>, key: string, make: () => M): M => {
  const found = all.get(key) ?? make()
  all.set(key, found)
  return found
}

/** Counts a call of a verb of this server. */
export const counted = <A>(verb: string, call: Effect.Effect<A, LoomError>): Effect.Effect<A, LoomError> =>
  Effect.gen(function*() {
    const began = yield* Clock.currentTimeNanos
    return yield* Effect.onExit(call, (exit) =>
      Effect.gen(function*() {
        const seconds = Number((yield* Clock.currentTimeNanos) - began) / 1e9
        const code = codeOf(exit)
        yield* Metric.update(kept(ended, `${verb} ${code}`, () => requestOf(verb, code)), 1)
        yield* Metric.update(kept(timed, verb, () => durationOf(verb)), seconds)
      }))
  })
