/** What workers count. The only label is the worker's name: no namespace, user or key leaves by a metric. */
import * as Metric from "effect/Metric"

export const handled = Metric.counter("loom_worker_changes_total", {
  description: "Changes that a worker has handled",
  incremental: true
})

export const failures = Metric.counter("loom_worker_failures_total", {
  description: "Tries of a worker that failed",
  incremental: true
})

export const buried = Metric.counter("loom_worker_dead_letters_total", {
  description: "Changes that a worker gave up on",
  incremental: true
})

export const restarts = Metric.counter("loom_worker_restarts_total", {
  description: "Times a worker started again after an error",
  incremental: true
})

export const lagVersions = Metric.gauge("loom_worker_lag_versions", {
  description: "Changes that a worker has not handled yet"
})

export const lagSeconds = Metric.gauge("loom_worker_lag_seconds", {
  description: "Age of the oldest change that a worker has not handled yet"
})

/** Adds to a counter of one worker, or sets its gauge. */
export const note = <Type, Out>(metric: Metric.Metric<Type, number, Out>, worker: string, value: number) =>
  Metric.update(Metric.tagged(metric, "worker", worker), value)
