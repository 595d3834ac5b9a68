/** Measurements of embedders in `loom.calibrations`; the last one of each counts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis } from "../platform/ClickhouseValue.ts"
import { CalibrationStore } from "./CalibrationStore.ts"
import { MeasuredBy } from "./ThresholdModel.ts"

const Row = Schema.Struct({
  embedder_id: Schema.String,
  conflict: Schema.Number,
  duplicate: Schema.Number,
  sentences: Schema.Number,
  near_low: Schema.Number,
  near_median: Schema.Number,
  reworded_low: Schema.Number,
  topic_median: Schema.Number,
  far_high: Schema.Number,
  measured_at: EpochMillis,
  measured_by: MeasuredBy
})

const columns = ch.join(Object.keys(Row.fields).map((name) => ch.identifier(name)))

export const layer: Layer.Layer<CalibrationStore, never, Clickhouse> = Layer.effect(
  CalibrationStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    find: Effect.fn("CalibrationStore.find")(function*(embedderId) {
      const [row] = yield* clickhouse.query(
        ch.sql("CalibrationStore.find")`SELECT ${columns} FROM loom.calibrations FINAL
          WHERE embedder_id = ${ch.string(embedderId)}`,
        Row
      )
      return Option.map(Option.fromNullable(row), (found) => {
        const { conflict, duplicate, embedder_id, measured_at, measured_by, ...measured } = found
        return { embedder_id, conflict, duplicate, measured, measured_at, measured_by }
      })
    }),
    put: Effect.fn("CalibrationStore.put")(function*({ measured, measured_at, ...calibration }) {
      yield* clickhouse.insert("loom.calibrations", [{
        ...calibration,
        ...measured,
        measured_at: new Date(measured_at)
      }])
    })
  }))
)
