/**
 * Measures the embedder's thresholds again, on a schedule and whenever the embedder is one that nobody measured, and keeps
 * them for every process. A model behind an address can be replaced without a word; what it was measured at is then of
 * another. Where thresholds are not measured (`LOOM_ADAPTIVE_THRESHOLDS` off, the test embedder) it does nothing.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Unavailable } from "../src/kernel/LoomError.ts"
import { CalibrationStore } from "../src/memory/CalibrationStore.ts"
import { measureEmbedder } from "../src/memory/ThresholdMeasuring.ts"
import { Thresholds } from "../src/memory/Thresholds.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import { testEmbedderId } from "../src/platform/EmbedderTest.ts"
import * as Worker from "./Worker.ts"

export const NAME = "calibration"

const isMeasured = Effect.gen(function*() {
  const { id } = yield* Embedder
  const { options } = yield* Thresholds
  return options.adaptive && id !== testEmbedderId
})

// Sixty sentences a day cost nothing, and a model that was replaced judges wrongly for a day at most.
const EVERY = Duration.hours(24)

const run = Effect.gen(function*() {
  if (!(yield* isMeasured)) return
  // A process that starts measures where nobody has, and the first run comes with such a start: it waits for that.
  yield* (yield* Thresholds).inForce
  const embedder = yield* Embedder
  const store = yield* CalibrationStore
  const now = yield* Clock.currentTimeMillis
  const kept = yield* store.find(embedder.id)
  if (Option.exists(kept, ({ measured_at }) => now - measured_at < Duration.toMillis(EVERY))) return
  const calibration = yield* Effect.mapError(
    measureEmbedder(embedder, "calibration"),
    () => new Unavailable({ operation: "Calibration.measure" })
  )
  yield* store.put(calibration)
})

/** Whether the embedder of this process has no numbers yet; a process that starts measures by itself, and is first. */
const isDue = Effect.gen(function*() {
  if (!(yield* isMeasured)) return false
  // After the measurement at start, which is not made twice.
  yield* (yield* Thresholds).inForce
  const { id } = yield* Embedder
  return Option.isNone(yield* (yield* CalibrationStore).find(id))
})

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.makeScheduled({
    name: NAME,
    every: EVERY,
    isDue,
    run,
    pace: { idle: "1 minute", ...pace }
  })
