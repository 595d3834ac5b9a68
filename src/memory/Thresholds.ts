/**
 * The cosines at which a stored memory becomes a peer of a write (conflict) and may be its duplicate (duplicate), for
 * the embedder of this process. With a real embedder they are what the embedder was measured at last, by whichever process
 * (`CalibrationStore`); where nobody has, this one measures in the background at start (`ThresholdMeasure`) and keeps it for
 * all, and who asks before the measurement ended waits for it. A later measurement takes effect here within a minute. Where
 * it is off, failed or cannot be, the operator's two numbers hold. `thresholdsIn` puts a namespace's pins on top.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { NamespaceSettings, ThresholdPins } from "../namespace/NamespaceSettingsModel.ts"
import { pinsSomething, typePins } from "../namespace/NamespaceSettingsModel.ts"
import { Embedder } from "../platform/Embedder.ts"
import { testEmbedderId } from "../platform/EmbedderTest.ts"
import { CalibrationStore } from "./CalibrationStore.ts"
import type { Calibration } from "./CalibrationStore.ts"
import { measureEmbedder } from "./ThresholdMeasuring.ts"
import { defaultOptions } from "./ThresholdModel.ts"
import type { Options, ThresholdsInForce, ThresholdSource } from "./ThresholdModel.ts"

export { defaultOptions } from "./ThresholdModel.ts"
export type { Options, ThresholdsInForce, ThresholdSource } from "./ThresholdModel.ts"

export class Thresholds extends Context.Tag("loom/memory/Thresholds")<Thresholds, {
  /** What holds where a namespace pinned nothing. Waits for the first measurement, never longer than its time limit. */
  readonly inForce: Effect.Effect<ThresholdsInForce>
  /** The operator's settings, for those who explain. */
  readonly options: Options
}>() {}

// How soon a measurement of another process takes effect here.
const LOOK_AGAIN = "1 minute"
// An embedder that was away is tried again soon, one that stays away seldom.
const tryAgain = Schedule.union(Schedule.exponential("30 seconds"), Schedule.spaced("10 minutes"))

const NOT_MEASURED = "The embedder's thresholds cannot be measured; the configured ones hold"

const make = (options: Options) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const store = yield* CalibrationStore
    const numbers = { conflict: options.conflict, duplicate: options.duplicate, embedder_id: embedder.id }
    if (!options.adaptive || embedder.id === testEmbedderId) {
      const configured: ThresholdsInForce = { ...numbers, source: "configured" }
      return { inForce: Effect.succeed(configured), options }
    }

    const first = yield* Deferred.make<void>()
    let inForce: ThresholdsInForce = { ...numbers, source: "fallback" }

    const use = ({ conflict, duplicate, embedder_id, measured, measured_at, measured_by }: Calibration) => {
      inForce = {
        conflict,
        duplicate,
        source: "adaptive",
        embedder_id,
        measured: { ...measured, measured_at, measured_by }
      }
    }

    // A store that does not answer keeps nobody from measuring.
    const known = Effect.orElseSucceed(store.find(embedder.id), () => Option.none<Calibration>())

    const measureOnce = Effect.gen(function*() {
      const kept = yield* known
      if (Option.isSome(kept)) return use(kept.value)
      const calibration = yield* measureEmbedder(embedder, "start")
      use(calibration)
      yield* Effect.ignoreLogged(store.put(calibration))
    })

    const lookAgain = Effect.flatMap(known, (kept) =>
      Effect.sync(() => {
        const later = Option.getOrUndefined(kept)
        if (later !== undefined && later.measured_at !== inForce.measured?.measured_at) use(later)
      })).pipe(Effect.delay(LOOK_AGAIN), Effect.forever)

    yield* measureOnce.pipe(
      Effect.sandbox,
      Effect.tapError((cause) =>
        // A reason of our own needs no stack trace; a bug does.
        Option.match(Cause.failureOption(cause), {
          onNone: () => Effect.logWarning(NOT_MEASURED, cause),
          onSome: ({ reason }) => Effect.annotateLogs(Effect.logWarning(NOT_MEASURED), { reason })
        }).pipe(Effect.annotateLogs({ embedder: embedder.id }))
      ),
      // Whoever waits goes on after the first attempt, whatever came of it.
      Effect.ensuring(Deferred.succeed(first, undefined)),
      Effect.retry(tryAgain),
      Effect.ignore,
      Effect.zipRight(lookAgain),
      Effect.forkScoped
    )

    return { inForce: Effect.map(Deferred.await(first), () => inForce), options }
  })

export const layer = (options: Options = defaultOptions): Layer.Layer<Thresholds, never, Embedder | CalibrationStore> =>
  Layer.scoped(Thresholds, make(options))

/**
 * The thresholds for memories of one type in a namespace: the type's pins before the namespace's before `base`. A pin
 * holds as it stands; when only one of the two is pinned, the other moves so far that conflict stays at or below
 * duplicate. The source is the nearest one that pins something.
 */
export const thresholdsIn = (
  base: ThresholdsInForce,
  settings: NamespaceSettings | undefined,
  memoryType: string
): ThresholdsInForce => {
  if (settings === undefined) return base
  const inNamespace = pinned(base, settings.thresholds, "namespace")
  return pinned(inNamespace, typePins(settings, memoryType), "type")
}

const pinned = (below: ThresholdsInForce, pins: ThresholdPins, source: ThresholdSource): ThresholdsInForce =>
  pinsSomething(pins)
    ? {
      ...below,
      source,
      conflict: pins.conflict ?? Math.min(below.conflict, pins.duplicate ?? 1),
      duplicate: pins.duplicate ?? Math.max(below.duplicate, pins.conflict ?? 0)
    }
    : below
