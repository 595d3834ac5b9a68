/**
 * Sends records to a collector in batches, in the JSON form of OTLP over HTTP. Whoever has a record to give never waits: the
 * buffer is bounded, one request is under way at a time and has a time limit, and what finds no room is dropped and counted.
 * A collector that is away is asked more and more seldom and told of in one line now and then.
 */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

export interface ExporterOptions<A> {
  /** `spans` or `logs`, for the metrics. */
  readonly what: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body of a request with these records. */
  readonly body: (records: ReadonlyArray<A>) => unknown
}

const exported = Metric.counter("loom_otlp_records_total", {
  description: "Spans and log lines for the collector, by whether it took them: sent, or dropped",
  incremental: true
})

// Soon enough for whoever watches, seldom enough that a request is worth its while.
const EVERY = Duration.seconds(2)
const BATCH = 512
// Some seconds of a busy process; at about a kilobyte each some megabytes.
const MOST = 8_192
const PATIENCE = Duration.seconds(5)
const FIRST_WAIT = Duration.seconds(2)
const LONGEST_WAIT = Duration.minutes(1)
const SAY_AGAIN = Duration.minutes(10)
// Within the time that a supervisor leaves a process.
const LAST_WORDS = Duration.seconds(2)

/** What a collector makes of a batch: `refused` is not worth another try. */
type Outcome = "sent" | "refused" | "away"

const outcomeOf = (status: number): Outcome =>
  status >= 200 && status < 300 ? "sent" : status === 429 || status === 408 || status >= 500 ? "away" : "refused"

/** Takes records for as long as the scope lives; at its end it sends what it holds, if that is quick. */
export const make = <A>(
  { body, headers, url, what }: ExporterOptions<A>
): Effect.Effect<{ readonly push: (record: A) => void }, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    let buffer: Array<A> = []
    let dropped = 0
    let wait = Duration.zero
    let saidAt = Number.NEGATIVE_INFINITY

    const note = (result: "sent" | "dropped", count: number) =>
      count === 0
        ? Effect.void
        : Metric.update(Metric.tagged(Metric.tagged(exported, "what", what), "result", result), count)

    const post = (records: ReadonlyArray<A>): Effect.Effect<Outcome> =>
      HttpClientRequest.post(url, { headers }).pipe(
        HttpClientRequest.setBody(HttpBody.unsafeJson(body(records))),
        client.execute,
        // The answer is read to its end, so that the connection serves the next.
        Effect.flatMap((response) => Effect.as(Effect.ignore(response.text), outcomeOf(response.status))),
        Effect.timeout(PATIENCE),
        Effect.orElseSucceed((): Outcome => "away"),
        // A span for a span would never end.
        Effect.withTracerEnabled(false)
      )

    /** A line for the operator, at the first failure and then seldom: what is exported holds it too. */
    const say = (outcome: Outcome) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (now - saidAt < Duration.toMillis(SAY_AGAIN)) return
        saidAt = now
        yield* Effect.logWarning(
          outcome === "refused" ? "The collector refuses what is exported" : "The collector does not answer"
        ).pipe(Effect.annotateLogs({ what }))
      })

    const turn = Effect.gen(function*() {
      yield* note("dropped", dropped)
      dropped = 0
      while (buffer.length > 0) {
        const records = buffer.slice(0, BATCH)
        const outcome = yield* post(records)
        if (outcome === "away") {
          wait = Duration.min(
            Duration.equals(wait, Duration.zero) ? FIRST_WAIT : Duration.times(wait, 2),
            LONGEST_WAIT
          )
          return yield* say(outcome)
        }
        wait = Duration.zero
        buffer = buffer.slice(records.length)
        yield* note(outcome === "sent" ? "sent" : "dropped", records.length)
        if (outcome === "refused") yield* say(outcome)
      }
    })

    yield* Effect.addFinalizer(() => Effect.asVoid(Effect.timeoutOption(Effect.interruptible(turn), LAST_WORDS)))
    yield* Effect.suspend(() => Effect.sleep(Duration.sum(EVERY, wait))).pipe(
      Effect.zipRight(turn),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    return {
      push: (record) => {
        if (buffer.length < MOST) buffer.push(record)
        else dropped++
      }
    }
  })
