import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Caller } from "../../src/kernel/Caller.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as CalibrationHandlers from "../../src/memory/CalibrationHandlers.ts"
import { layerMemory as layerCalibrations } from "../../src/memory/CalibrationStore.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { layerMemory, NamespaceStore } from "../../src/namespace/NamespaceStore.ts"
import { layerTest, testEmbedderId } from "../../src/platform/EmbedderTest.ts"
import { caller, namespace } from "../namespace/NamespaceFixture.ts"

const get = (request: object, as: Caller = caller({ role: "read" })) =>
  Effect.flatMap(
    CalibrationHandlers.make,
    ([bound]) => bound?.call(request, as) ?? Effect.dieMessage("no calibration.get")
  ).pipe(Effect.map((answer): Record<string, unknown> => ({ ...Object(answer) })))

const measured: Thresholds.ThresholdsInForce = {
  source: "adaptive",
  conflict: 0.678,
  duplicate: 0.803,
  embedder_id: "toy/v1",
  measured: {
    sentences: 60,
    near_low: 0.724,
    near_median: 0.8,
    reworded_low: 0.803,
    topic_median: 0.633,
    far_high: 0.367,
    measured_at: 0,
    measured_by: "calibration"
  }
}

const layerFixed = (inForce: Thresholds.ThresholdsInForce, adaptive = true) =>
  Layer.succeed(Thresholds.Thresholds, {
    inForce: Effect.succeed(inForce),
    options: { ...Thresholds.defaultOptions, adaptive }
  })

const layerOf = (inForce: Thresholds.ThresholdsInForce, adaptive = true) =>
  Layer.merge(layerFixed(inForce, adaptive), layerMemory)

describe("calibration.get", () => {
  it.effect("says what was measured", () =>
    Effect.gen(function*() {
      const found = yield* get({ namespace: "eng" })
      assert.deepInclude(found, {
        org: "acme",
        namespace: "eng",
        embedder_id: "toy/v1",
        conflict: 0.678,
        duplicate: 0.803,
        source: "adaptive",
        types: [],
        configured: { adaptive: true, conflict: 0.85, duplicate: 0.97 },
        measured: { ...measured.measured, measured_at: "1970-01-01T00:00:00.000Z" }
      })
      assert.match(
        String(found["why"]),
        /toy\/v1 by the calibration worker over 60 sentences: near pairs begin at 0\.724/
      )
    }).pipe(Effect.provide(layerOf(measured))))

  it.effect("tells the pins of the namespace and of each type", () =>
    Effect.gen(function*() {
      yield* (yield* NamespaceStore).put(namespace({
        settings: {
          ...noSettings,
          thresholds: { conflict: 0.5 },
          type_thresholds: { decision: { duplicate: 0.9 }, none: {} }
        }
      }))
      const found = yield* get({ namespace: "eng" })
      assert.deepInclude(found, { conflict: 0.5, duplicate: 0.803, source: "namespace" })
      assert.match(
        JSON.stringify(found["types"]),
        /^\[\{"memory_type":"decision","nomination":0\.3,"conflict":0\.5,"duplicate":0\.9,"source":"type"/
      )
      // Another namespace, and the same name in another org, have their own.
      assert.deepInclude(yield* get({ namespace: "ops" }), { source: "adaptive", conflict: 0.678 })
      assert.deepInclude(yield* get({ namespace: "eng" }, caller({ org: "other" })), { source: "adaptive" })
    }).pipe(Effect.provide(layerOf(measured))))

  it.effect("tells what a pin leaves to the words of the claims", () =>
    Effect.gen(function*() {
      yield* (yield* NamespaceStore).put(namespace({
        settings: { ...noSettings, thresholds: { conflict: 1, duplicate: 1 } }
      }))
      // What surely says otherwise is a conflict below the pinned cosine too.
      const found = yield* get({ namespace: "eng" })
      assert.deepInclude(found, { nomination: 0.8, conflict: 1, source: "namespace" })
      assert.match(String(found["decides"]), /compared from 0\.800.*surely says otherwise.*also below 1\.000/)
    }).pipe(Effect.provide(layerOf(measured))))

  it.effect("says why the operator's numbers hold", () =>
    Effect.gen(function*() {
      const numbers = { conflict: 0.85, duplicate: 0.97 }
      const fallback = yield* Effect.provide(
        get({ namespace: "eng" }),
        layerOf({ ...numbers, source: "fallback", embedder_id: "toy/v1" })
      )
      assert.match(String(fallback["why"]), /could not be measured and will be tried again/)
      assert.isNull(fallback["measured"])
      const off = yield* Effect.provide(
        get({ namespace: "eng" }),
        layerOf({ ...numbers, source: "configured", embedder_id: "toy/v1" }, false)
      )
      assert.match(String(off["why"]), /LOOM_ADAPTIVE_THRESHOLDS is off/)
      const test = yield* Effect.provide(
        get({ namespace: "eng" }),
        Layer.merge(Layer.provide(Thresholds.layer(), [layerTest, layerCalibrations]), layerMemory)
      )
      assert.deepInclude(test, { embedder_id: testEmbedderId, source: "configured" })
      assert.match(String(test["why"]), /knows no meanings/)
    }))

  it.effect("answers only where the token opens", () =>
    Effect.gen(function*() {
      for (const as of [caller({ namespaces: ["ops"] }), caller({ org: "other" })]) {
        const result = yield* Effect.either(get({ org: "acme", namespace: "eng" }, as))
        assert.strictEqual(Either.isLeft(result) ? toWire(result.left).body.detail.code : "", "FORBIDDEN")
      }
    }).pipe(Effect.provide(layerOf(measured))))
})
