/** What the committer counts: commits and rows of all namespaces together. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

const commits = Metric.counter("loom_commits_total", {
  description: "Merged commits, by whether they came through",
  incremental: true
})

const rows = Metric.counter("loom_commit_rows_total", { description: "Memory rows committed", incremental: true })

const namespaces = Metric.counter("loom_commit_namespaces_total", {
  description: "Namespaces whose batches went into merged commits",
  incremental: true
})

// From an insert of one row on a fast disk to what a store that hangs takes.
const durations = Metric.histogram(
  "loom_commit_duration_seconds",
  MetricBoundaries.fromIterable([0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Seconds that the inserts of a merged commit take"
)

/** Counts a commit of so many rows. */
export const counted = <A, E, R>(
  size: { readonly rows: number; readonly namespaces: number },
  commit: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const began = yield* Clock.currentTimeNanos
    return yield* Effect.onExit(commit, (exit) =>
      Effect.gen(function*() {
        const seconds = Number((yield* Clock.currentTimeNanos) - began) / 1e9
        yield* Metric.update(Metric.tagged(commits, "outcome", exit._tag === "Success" ? "ok" : "failed"), 1)
        yield* Metric.update(durations, seconds)
        if (exit._tag === "Failure") return
        yield* Metric.update(rows, size.rows)
        yield* Metric.update(namespaces, size.namespaces)
      }))
  })
