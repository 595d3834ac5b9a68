/**
 * The port that keeps what each embedder was measured at, so that all processes of an installation judge by the same
 * numbers: the last measurement of an embedder counts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { Measured, ThresholdPair } from "./ThresholdMeasure.ts"
import type { MeasuredBy } from "./ThresholdModel.ts"

export interface Calibration extends ThresholdPair {
  readonly embedder_id: string
  readonly measured: Measured
  /** Milliseconds. */
  readonly measured_at: number
  readonly measured_by: MeasuredBy
}

export class CalibrationStore extends Context.Tag("loom/memory/CalibrationStore")<CalibrationStore, {
  readonly find: (embedderId: string) => Effect.Effect<Option.Option<Calibration>, StoreError>
  readonly put: (calibration: Calibration) => Effect.Effect<void, Unavailable>
}>() {}

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<CalibrationStore> = Layer.sync(CalibrationStore, () => {
  const kept = new Map<string, Calibration>()
  return {
    find: (embedderId) => Effect.sync(() => Option.fromNullable(kept.get(embedderId))),
    put: (calibration) =>
      Effect.sync(() => {
        const before = kept.get(calibration.embedder_id)
        if (before === undefined || before.measured_at <= calibration.measured_at) {
          kept.set(calibration.embedder_id, calibration)
        }
      })
  }
})
