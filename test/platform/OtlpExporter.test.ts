/** A collector that is away, slow or unwilling costs nothing but a line now and then, and gets what fits when it is back. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import * as Exporter from "../../src/platform/OtlpExporter.ts"

type Mood = "well" | "away" | "silent" | "unwilling"

/** A collector in this process, in a mood. */
const house = Effect.sync(() => {
  const seen: Array<unknown> = []
  const lines: Array<string> = []
  const state: { mood: Mood; asked: number } = { mood: "well", asked: 0 }
  const client = HttpClient.make((request) =>
    Effect.suspend(() => {
      state.asked++
      switch (state.mood) {
        case "silent":
          return Effect.never
        case "away":
          return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
        case "unwilling":
          return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("", { status: 400 })))
        case "well": {
          const { body } = request
          if (body._tag === "Uint8Array") seen.push(...JSON.parse(new TextDecoder().decode(body.body)).records)
          return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}")))
        }
      }
    })
  )
  const layer = Layer.merge(
    Layer.succeed(HttpClient.HttpClient, client),
    Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))
  )
  return { seen, lines, state, layer }
})

const counted = (what: string, result: string) =>
  Effect.map(
    Metric.value(
      Metric.counter("loom_otlp_records_total", {
        description: "Spans and log lines for the collector, by whether it took them: sent, or dropped",
        incremental: true
      }).pipe(Metric.tagged("what", what), Metric.tagged("result", result))
    ),
    ({ count }) => count
  )

const make = (what: string) =>
  Exporter.make<number>({ what, url: "http://collector/v1/x", headers: {}, body: (records) => ({ records }) })

describe("an exporter", () => {
  it.scoped("sends in batches, and the rest at its end", () =>
    Effect.gen(function*() {
      const { layer, seen, state } = yield* house
      yield* Effect.gen(function*() {
        const { push } = yield* make("batches")
        for (let n = 0; n < 1_000; n++) push(n)
        yield* TestClock.adjust("2 seconds")
        assert.deepEqual(seen, Array.from({ length: 1_000 }, (_, n) => n))
        assert.strictEqual(state.asked, 2)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(state.asked, 2)
        push(1_000)
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.strictEqual(seen.length, 1_001)
      assert.strictEqual(yield* counted("batches", "sent"), 1_001)
    }))

  it.scoped("keeps what fits while the collector is away, asks seldom, and says so once", () =>
    Effect.gen(function*() {
      const { layer, lines, seen, state } = yield* house
      yield* Effect.gen(function*() {
        const { push } = yield* make("away")
        state.mood = "away"
        for (let n = 0; n < 10_000; n++) push(n)
        yield* TestClock.adjust("9 minutes")
        assert.isBelow(state.asked, 20)
        assert.deepEqual(lines, ["The collector does not answer"])
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(lines.length, 2)
        state.mood = "well"
        yield* TestClock.adjust("2 minutes")
        // The oldest, in order; those that found no room are counted.
        assert.deepEqual(seen, Array.from({ length: 8_192 }, (_, n) => n))
        assert.strictEqual(yield* counted("away", "dropped"), 10_000 - 8_192)
        push(-1)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(seen.at(-1), -1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }))

  it.scoped("waits for one answer at a time, and never for long; not at its end either", () =>
    Effect.gen(function*() {
      const { layer, lines, state } = yield* house
      yield* Effect.gen(function*() {
        const { push } = yield* make("silent")
        state.mood = "silent"
        push(1)
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(state.asked, 1)
        yield* TestClock.adjust("4 seconds")
        assert.deepEqual(lines, ["The collector does not answer"])
      }).pipe(
        Effect.scoped,
        Effect.provide(layer),
        Effect.raceFirst(Effect.forever(Effect.zipRight(Effect.yieldNow(), TestClock.adjust("1 second"))))
      )
    }))

  it.scoped("drops what a collector refuses, and goes on", () =>
    Effect.gen(function*() {
      const { layer, lines, seen, state } = yield* house
      yield* Effect.gen(function*() {
        const { push } = yield* make("unwilling")
        state.mood = "unwilling"
        push(1)
        yield* TestClock.adjust("2 seconds")
        state.mood = "well"
        push(2)
        yield* TestClock.adjust("2 seconds")
        assert.deepEqual(seen, [2])
        assert.deepEqual(lines, ["The collector refuses what is exported"])
        assert.strictEqual(yield* counted("unwilling", "dropped"), 1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }))
})
