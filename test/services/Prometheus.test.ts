import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import { prometheusText } from "../../services/gateway/Prometheus.ts"

const page = Effect.map(Metric.snapshot, prometheusText)

const linesOf = (text: string, name: string) => text.split("\n").filter((line) => line.includes(name))

describe("Prometheus", () => {
  it.effect("writes counters, gauges and histograms, and nothing of others", () =>
    Effect.gen(function*() {
      const counter = Metric.counter("loom_toys_total", { description: "Toys, \"new\" \\ old", incremental: true })
      yield* Metric.update(Metric.tagged(counter, "kind", "a\"b\\c\nd"), 3)
      yield* Metric.update(Metric.tagged(counter, "kind", "car"), 2)
      yield* Metric.update(Metric.gauge("loom_toys_left"), -1.5)
      yield* Metric.update(Metric.counter("others_total"), 1)
      const histogram = Metric.histogram("loom_toy_seconds", MetricBoundaries.fromIterable([0.1, 1]), "Seconds")
      for (const seconds of [0.05, 0.1, 0.5, 7]) yield* Metric.update(histogram, seconds)
      const text = yield* page
      assert.deepEqual(linesOf(text, "loom_toys_total"), [
        "# HELP loom_toys_total Toys, \"new\" \\\\ old",
        "# TYPE loom_toys_total counter",
        "loom_toys_total{kind=\"a\\\"b\\\\c\\nd\"} 3",
        "loom_toys_total{kind=\"car\"} 2"
      ])
      assert.deepEqual(linesOf(text, "loom_toys_left"), ["# TYPE loom_toys_left gauge", "loom_toys_left -1.5"])
      assert.deepEqual(linesOf(text, "loom_toy_seconds"), [
        "# HELP loom_toy_seconds Seconds",
        "# TYPE loom_toy_seconds histogram",
        "loom_toy_seconds_bucket{le=\"0.1\"} 2",
        "loom_toy_seconds_bucket{le=\"1\"} 3",
        "loom_toy_seconds_bucket{le=\"+Inf\"} 4",
        "loom_toy_seconds_sum 7.65",
        "loom_toy_seconds_count 4"
      ])
      assert.notInclude(text, "others_total")
      assert.isTrue(text.endsWith("\n"))
    }))
})
