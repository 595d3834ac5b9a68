/** Counts what goes to an embedder: calls by kind and outcome, texts, seconds; never a text. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import { Embedder } from "./Embedder.ts"

const calls = Metric.counter("loom_embedder_calls_total", {
  description: "Calls of the embedder, by kind (texts or query) and outcome",
  incremental: true
})

const texts = Metric.counter("loom_embedder_texts_total", {
  description: "Texts given to the embedder",
  incremental: true
})

// From a vector that is kept to a remote model's patience.
const durations = Metric.histogram(
  "loom_embedder_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
  "Seconds that a call of the embedder takes"
)

const counted = <A, E>(kind: "texts" | "query", count: number, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const began = yield* Clock.currentTimeNanos
    return yield* Effect.onExit(call, (exit) =>
      Effect.gen(function*() {
        const seconds = Number((yield* Clock.currentTimeNanos) - began) / 1e9
        const outcome = exit._tag === "Success" ? "ok" : "failed"
        yield* Metric.update(Metric.tagged(Metric.tagged(calls, "kind", kind), "outcome", outcome), 1)
        yield* Metric.update(texts, count)
        yield* Metric.update(Metric.tagged(durations, "kind", kind), seconds)
      }))
  })

/** The same embedder, counted. */
export const layer: Layer.Layer<Embedder, never, Embedder> = Layer.effect(
  Embedder,
  Effect.map(Embedder, (embedder) => ({
    ...embedder,
    embed: (given) => counted("texts", given.length, embedder.embed(given)),
    embedQuery: (text) => counted("query", 1, embedder.embedQuery(text))
  }))
)
