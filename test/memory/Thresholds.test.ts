import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { CalibrationStore, layerMemory } from "../../src/memory/CalibrationStore.ts"
import { sentences } from "../../src/memory/ThresholdMeasure.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import { layerTest, testEmbedderId } from "../../src/platform/EmbedderTest.ts"

/** A claim lies at an angle of its group's own; its rewording close, another value closer, another claim far off it. */
const vectors = sentences.map((_, at) => {
  const groups = sentences.length / 4
  const offset = [0, 0.85, 0.95, 0.6][at % 4] ?? 0
  const vector = new Float32Array(groups + 2)
  vector[Math.floor(at / 4)] = offset === 0 ? 1 : offset
  if (offset !== 0) vector[groups + (offset === 0.6 ? 1 : 0)] = Math.sqrt(1 - offset * offset)
  return vector
})

class Watched {
  asked = 0
  answer: Effect.Effect<ReadonlyArray<Float32Array>, Unavailable> = Effect.succeed(vectors)
}

/** A store that keeps nothing. */
const nothingKept: typeof CalibrationStore.Service = { find: () => Effect.succeedNone, put: () => Effect.void }

const unavailable = Effect.fail(new Unavailable({ operation: "Embedder.embed" }))

const run = <A, E>(
  watched: Watched,
  test: (thresholds: typeof Thresholds.Thresholds.Service) => Effect.Effect<A, E>,
  options = Thresholds.defaultOptions,
  store: typeof CalibrationStore.Service = nothingKept
) =>
  Effect.flatMap(Thresholds.Thresholds, test).pipe(
    Effect.provide(Thresholds.layer(options)),
    Effect.provideService(CalibrationStore, store),
    Effect.provideService(Embedder, {
      id: "toy/v1",
      dimensions: 17,
      embed: (texts) =>
        Effect.suspend(() => {
          watched.asked++
          assert.deepEqual(texts, sentences)
          return watched.answer
        }),
      embedQuery: () => unavailable
    }),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )

describe("Thresholds", () => {
  it.effect("are measured once at start, on a real embedder", () => {
    const watched = new Watched()
    return run(watched, ({ inForce }) =>
      Effect.gen(function*() {
        const found = yield* inForce
        assert.deepInclude(found, { source: "adaptive", embedder_id: "toy/v1" })
        assert.isTrue(found.conflict > 0.6 && found.conflict <= found.duplicate)
        assert.strictEqual(found.measured?.sentences, 60)
        assert.deepEqual(yield* inForce, found)
        assert.strictEqual(watched.asked, 1)
      }))
  })

  it.effect("keep a write waiting while they are measured, and no longer than a minute", () => {
    const watched = new Watched()
    return Effect.gen(function*() {
      const gate = yield* Deferred.make<ReadonlyArray<Float32Array>>()
      watched.answer = Deferred.await(gate)
      yield* run(watched, ({ inForce }) =>
        Effect.gen(function*() {
          const waiting = yield* Effect.fork(inForce)
          yield* TestClock.adjust("59 seconds")
          assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
          yield* TestClock.adjust("1 seconds")
          assert.deepInclude(yield* Fiber.join(waiting), { source: "fallback", conflict: 0.85, duplicate: 0.97 })
        }))
      const again = new Watched()
      again.answer = Deferred.await(gate)
      yield* run(again, ({ inForce }) =>
        Effect.gen(function*() {
          const waiting = yield* Effect.fork(inForce)
          yield* TestClock.adjust("1 seconds")
          yield* Deferred.succeed(gate, vectors)
          assert.strictEqual((yield* Fiber.join(waiting)).source, "adaptive")
        }))
    })
  })

  it.effect("fall back when they cannot be measured, and are tried again until they can", () => {
    const watched = new Watched()
    watched.answer = unavailable
    return run(watched, ({ inForce }) =>
      Effect.gen(function*() {
        assert.deepInclude(yield* inForce, { source: "fallback", conflict: 0.5, duplicate: 0.6 })
        assert.isUndefined((yield* inForce).measured)
        watched.answer = Effect.die("a defect counts as a failure")
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(watched.asked, 2)
        watched.answer = Effect.succeed(sentences.map(() => Float32Array.of(1)))
        yield* TestClock.adjust("1 minutes")
        assert.strictEqual((yield* inForce).source, "fallback")
        watched.answer = Effect.succeed(vectors)
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* inForce).source, "adaptive")
        yield* TestClock.adjust("1 hours")
        assert.strictEqual(watched.asked, 4)
      }), { adaptive: true, conflict: 0.5, duplicate: 0.6 })
  })

  it.effect("are what another process measured, and what is measured later, without measuring here", () =>
    Effect.gen(function*() {
      const store = yield* CalibrationStore
      const [first, second] = [new Watched(), new Watched()]
      yield* run(first, ({ inForce }) => inForce, Thresholds.defaultOptions, store)
      const kept = Option.getOrThrow(yield* store.find("toy/v1"))
      assert.strictEqual(kept.measured_by, "start")
      yield* run(
        second,
        ({ inForce }) =>
          Effect.gen(function*() {
            assert.deepInclude(yield* inForce, { source: "adaptive", conflict: kept.conflict })
            yield* store.put({ ...kept, conflict: 0.5, measured_at: kept.measured_at + 1, measured_by: "calibration" })
            yield* TestClock.adjust("1 minute")
            assert.deepInclude(yield* inForce, { source: "adaptive", conflict: 0.5 })
          }),
        Thresholds.defaultOptions,
        store
      )
      assert.deepEqual([first.asked, second.asked], [1, 0])
    }).pipe(Effect.provide(layerMemory)))

  it.effect("are measured here when the store does not answer", () => {
    const watched = new Watched()
    const down = { find: () => unavailable, put: () => unavailable }
    return run(
      watched,
      ({ inForce }) => Effect.map(inForce, (found) => assert.deepInclude(found, { source: "adaptive" })),
      Thresholds.defaultOptions,
      down
    )
  })

  it.effect("are the operator's where he wants them or the embedder is none", () => {
    const watched = new Watched()
    const options = { adaptive: false, conflict: 0.4, duplicate: 0.9 }
    return Effect.gen(function*() {
      yield* run(
        watched,
        ({ inForce }) =>
          Effect.map(
            inForce,
            (found) =>
              assert.deepEqual(found, { source: "configured", conflict: 0.4, duplicate: 0.9, embedder_id: "toy/v1" })
          ),
        options
      )
      assert.strictEqual(watched.asked, 0)
      const test = yield* Effect.flatMap(Thresholds.Thresholds, ({ inForce }) => inForce).pipe(
        Effect.provide(Layer.provide(Thresholds.layer(), [layerTest, layerMemory]))
      )
      assert.deepEqual(test, { source: "configured", conflict: 0.85, duplicate: 0.97, embedder_id: testEmbedderId })
    })
  })
})

describe("thresholdsIn", () => {
  const base: Thresholds.ThresholdsInForce = {
    source: "adaptive",
    conflict: 0.7,
    duplicate: 0.8,
    embedder_id: "toy/v1"
  }

  it("puts the type's pins before the namespace's before the base", () => {
    const settings = {
      ...noSettings,
      thresholds: { conflict: 0.6, duplicate: 0.9 },
      type_thresholds: { decision: { duplicate: 0.95 }, none: {} }
    }
    assert.deepEqual(Thresholds.thresholdsIn(base, undefined, "semantic"), base)
    assert.deepEqual(Thresholds.thresholdsIn(base, noSettings, "semantic"), base)
    assert.deepInclude(Thresholds.thresholdsIn(base, settings, "semantic"), {
      source: "namespace",
      conflict: 0.6,
      duplicate: 0.9
    })
    assert.deepInclude(Thresholds.thresholdsIn(base, settings, "decision"), {
      source: "type",
      conflict: 0.6,
      duplicate: 0.95
    })
    assert.strictEqual(Thresholds.thresholdsIn(base, settings, "none").source, "namespace")
  })

  it("keeps a pin as it stands and moves the other side", () => {
    const pinned = (pins: object) => Thresholds.thresholdsIn(base, { ...noSettings, thresholds: pins }, "semantic")
    assert.deepInclude(pinned({ conflict: 0.95 }), { conflict: 0.95, duplicate: 0.95 })
    assert.deepInclude(pinned({ duplicate: 0.5 }), { conflict: 0.5, duplicate: 0.5 })
    assert.deepInclude(pinned({ conflict: 0.1 }), { conflict: 0.1, duplicate: 0.8 })
  })

  it("never puts conflict above duplicate", () => {
    const pin = FastCheck.option(FastCheck.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })
    const pins = FastCheck.record({ conflict: pin, duplicate: pin }).map(({ conflict, duplicate }) => ({
      ...(conflict === undefined ? {} : { conflict }),
      ...(duplicate === undefined ? {} : { duplicate: Math.max(duplicate, conflict ?? 0) })
    }))
    FastCheck.assert(FastCheck.property(pins, pins, (thresholds, typed) => {
      const found = Thresholds.thresholdsIn(base, { ...noSettings, thresholds, type_thresholds: { t: typed } }, "t")
      assert.isAtMost(found.conflict, found.duplicate)
      if (typed.conflict !== undefined) assert.strictEqual(found.conflict, typed.conflict)
      if (typed.duplicate !== undefined) assert.strictEqual(found.duplicate, typed.duplicate)
    }))
  })
})
