/**
 * The cosines at which a stored memory becomes a peer of a write (conflict) and may be its duplicate (duplicate), for
 * the embedder of this process. With a real embedder they are measured once, in the background, at start
 * (`ThresholdMeasure`); who asks before the measurement ended waits for it. Where it is off, failed or cannot be, the
 * operator's two numbers hold. `thresholdsIn` puts a namespace's pins on top.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { NamespaceSettings, ThresholdPins } from "../namespace/NamespaceSettingsModel.ts"
import { pinsSomething, typePins } from "../namespace/NamespaceSettingsModel.ts"
import { Embedder } from "../platform/Embedder.ts"
import { testEmbedderId } from "../platform/EmbedderTest.ts"
import { measure, sentences, thresholdsOf } from "./ThresholdMeasure.ts"
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

// Sixty sentences take a second offline and two requests remotely; a cold model loads in a few seconds on a busy machine.
const MEASURE_WITHIN = "60 seconds"
// An embedder that was away is tried again soon, one that stays away seldom.
const tryAgain = Schedule.union(Schedule.exponential("30 seconds"), Schedule.spaced("10 minutes"))

const NOT_MEASURED = "The embedder's thresholds cannot be measured; the configured ones hold"

/** Why a measurement gave no thresholds; the text goes to the log. */
class MeasureFailed extends Data.TaggedError("MeasureFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const make = (options: Options) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const numbers = { conflict: options.conflict, duplicate: options.duplicate, embedder_id: embedder.id }
    if (!options.adaptive || embedder.id === testEmbedderId) {
      const configured: ThresholdsInForce = { ...numbers, source: "configured" }
      return { inForce: Effect.succeed(configured), options }
    }

    const first = yield* Deferred.make<void>()
    let inForce: ThresholdsInForce = { ...numbers, source: "fallback" }

    const measureOnce = Effect.gen(function*() {
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
      inForce = { ...pair, source: "adaptive", embedder_id: embedder.id, measured: { ...measured, measured_at } }
      yield* Effect.logInfo("Measured the embedder's thresholds").pipe(
        Effect.annotateLogs({ embedder: embedder.id, ...pair })
      )
    })

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
      Effect.forkScoped
    )

    return { inForce: Effect.map(Deferred.await(first), () => inForce), options }
  })

export const layer = (options: Options = defaultOptions): Layer.Layer<Thresholds, never, Embedder> =>
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
