/** The calibration worker: what it measures it keeps for every process, on its schedule and for an embedder nobody knows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Unavailable } from "../../src/kernel/LoomError.ts"
import { CalibrationStore, layerMemory } from "../../src/memory/CalibrationStore.ts"
import { sentences } from "../../src/memory/ThresholdMeasure.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as Calibration from "../../workers/Calibration.ts"
import { layer as layerHouse, pass } from "./WorkerFixture.ts"

/** Vectors that tell near from far, the nearer the larger the share. */
const vectorsOf = (share: number) =>
  sentences.map((_, at) => {
    const groups = sentences.length / 4
    const offset = [0, share, 0.95, 0.6][at % 4] ?? 0
    const vector = new Float32Array(groups + 2)
    vector[Math.floor(at / 4)] = offset === 0 ? 1 : offset
    if (offset !== 0) vector[groups + (offset === 0.6 ? 1 : 0)] = Math.sqrt(1 - offset * offset)
    return vector
  })

let share = 0.85
let asked = 0
const layerEmbedder = Layer.succeed(Embedder, {
  id: "toy/v1",
  dimensions: 17,
  embed: () =>
    Effect.sync(() => {
      asked += 1
      return vectorsOf(share)
    }),
  embedQuery: () => Effect.succeed(new Float32Array(17))
})

const house = (
  options = Thresholds.defaultOptions,
  layerStore: Layer.Layer<CalibrationStore, Unavailable> = layerMemory
) =>
  Thresholds.layer(options).pipe(
    Layer.provideMerge(Layer.mergeAll(layerHouse, layerStore, layerEmbedder))
  )

const DAY_MILLIS = 24 * 60 * 60 * 1_000
const measured = { sentences: 60, near_low: 0.8, near_median: 0.9, reworded_low: 0.8, topic_median: 0.6, far_high: 0.1 }

/** Somebody measured the embedder so many milliseconds before the test begins. */
const layerMeasured = (age: number) =>
  Layer.effectDiscard(
    Effect.flatMap(CalibrationStore, ({ put }) =>
      put({
        embedder_id: "toy/v1",
        conflict: 0.7,
        duplicate: 0.99,
        measured,
        measured_at: -age,
        measured_by: "start"
      }))
  ).pipe(Layer.provideMerge(layerMemory))

describe("Calibration", () => {
  it.scoped("measures again what is a day old, and every process hears of it", () =>
    Effect.gen(function*() {
      asked = 0
      const store = yield* CalibrationStore
      const { inForce } = yield* Thresholds.Thresholds
      const first = yield* inForce
      assert.deepInclude(first, { source: "adaptive", duplicate: 0.99 })
      share = 0.8
      yield* Layer.build(Calibration.make({ idle: "1 second" })("process"))
      yield* pass(3)
      const kept = Option.getOrThrow(yield* store.find("toy/v1"))
      assert.strictEqual(kept.measured_by, "calibration")
      assert.isBelow(kept.duplicate, first.duplicate)
      yield* pass(60)
      assert.deepInclude(yield* inForce, { duplicate: kept.duplicate })
      assert.strictEqual((yield* inForce).measured?.measured_by, "calibration")
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(house(Thresholds.defaultOptions, layerMeasured(DAY_MILLIS)))))

  it.scoped("leaves alone what a start has just measured", () =>
    Effect.gen(function*() {
      asked = 0
      yield* Layer.build(Calibration.make({ idle: "1 second" })("process"))
      yield* pass(5)
      assert.strictEqual((yield* (yield* Thresholds.Thresholds).inForce).measured?.measured_by, "start")
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(house())))

  it.scoped("measures nothing where the operator wants his own numbers", () =>
    Effect.gen(function*() {
      asked = 0
      yield* Layer.build(Calibration.make({ idle: "1 second" })("process"))
      yield* pass(5)
      assert.strictEqual(asked, 0)
    }).pipe(Effect.provide(house({ adaptive: false, conflict: 0.4, duplicate: 0.9 }))))
})
