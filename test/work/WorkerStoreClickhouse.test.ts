import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CalibrationStore } from "../../src/memory/CalibrationStore.ts"
import * as CalibrationStoreClickhouse from "../../src/memory/CalibrationStoreClickhouse.ts"
import * as WorkerStoreClickhouse from "../../src/work/WorkerStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./WorkerStoreContract.ts"

// One engine for the file: an engine that was closed does not open again in its process.
const shared = Layer.merge(WorkerStoreClickhouse.layer, CalibrationStoreClickhouse.layer).pipe(
  Layer.provideMerge(layerEngine)
)

layer(shared, { timeout: 60_000 })("CalibrationStore: ClickHouse", (it) => {
  it.effect("keeps the last measurement of each embedder", () =>
    Effect.gen(function*() {
      const { find, put } = yield* CalibrationStore
      const measured = {
        sentences: 60,
        near_low: 0.724,
        near_median: 0.8,
        reworded_low: 0.803,
        topic_median: 0.633,
        far_high: 0.367
      }
      const one = {
        embedder_id: "toy/v1",
        conflict: 0.678,
        duplicate: 0.702,
        measured,
        measured_at: 1_700_000_000_123,
        measured_by: "start" as const
      }
      assert.isTrue(Option.isNone(yield* find("toy/v1")))
      yield* put(one)
      yield* put({ ...one, measured_at: one.measured_at + 1, conflict: 0.5, measured_by: "calibration" })
      yield* put({ ...one, embedder_id: "toy/v2" })
      assert.deepEqual(
        yield* find("toy/v1"),
        Option.some({ ...one, measured_at: one.measured_at + 1, conflict: 0.5, measured_by: "calibration" })
      )
      assert.deepEqual(yield* find("toy/v2"), Option.some({ ...one, embedder_id: "toy/v2" }))
    }))
})

suite("ClickHouse", shared)
