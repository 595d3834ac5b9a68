/** Measures an embedder over `ThresholdBank`, once. */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Embedder } from "../platform/Embedder.ts"
import type { Calibration } from "./CalibrationStore.ts"
import { measure, sentences, thresholdsOf } from "./ThresholdMeasure.ts"
import type { MeasuredBy } from "./ThresholdModel.ts"

// Sixty sentences take a second offline and two requests remotely; a cold model loads in a few seconds on a busy machine.
const MEASURE_WITHIN = "60 seconds"

/** Why a measurement gave no thresholds; the text goes to the log. */
export class MeasureFailed extends Data.TaggedError("MeasureFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

export const measureEmbedder = (
  embedder: typeof Embedder.Service,
  measured_by: MeasuredBy
): Effect.Effect<Calibration, MeasureFailed> =>
  Effect.gen(function*() {
    const vectors = yield* embedder.embed(sentences).pipe(
      Effect.mapError((error) => new MeasureFailed({ reason: error.message })),
      Effect.timeoutFail({
        duration: MEASURE_WITHIN,
        onTimeout: () => new MeasureFailed({ reason: "it took too long" })
      })
    )
    const measured = measure(vectors)
    const pair = measured === undefined ? undefined : thresholdsOf(measured)
    if (measured === undefined || pair === undefined) {
      return yield* new MeasureFailed({ reason: "its similarities do not tell near from far" })
    }
    const measured_at = yield* Clock.currentTimeMillis
    yield* Effect.logInfo("Measured the embedder's thresholds").pipe(
      Effect.annotateLogs({ embedder: embedder.id, ...pair })
    )
    return { embedder_id: embedder.id, ...pair, measured, measured_at, measured_by }
  })
