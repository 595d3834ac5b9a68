/**
 * Whether this process lives and is ready. Live means that it answers at all; ready means that what it stands on answers
 * too. Probes come from outside and without a token, so a check runs at most once a second, whoever asks.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clickhouse } from "../../src/platform/Clickhouse.ts"

export interface ReadinessCheck {
  readonly name: string
  readonly ready: boolean
}

export interface ReadinessReport {
  /** True when every check is. */
  readonly ready: boolean
  readonly checks: ReadonlyArray<ReadinessCheck>
}

export class Readiness extends Context.Tag("loom/services/gateway/Health/Readiness")<Readiness, {
  /** What the process stands on, as of at most a second ago; never fails. */
  readonly check: Effect.Effect<ReadinessReport>
}>() {}

/** A thing to ask: it is ready when the effect succeeds in time. */
export interface Probe<E> {
  readonly name: string
  readonly ask: Effect.Effect<unknown, E>
}

// A store that needs longer for a trivial question cannot serve; and an orchestrator's probe waits little longer.
const PATIENCE = "2 seconds"
const KEPT = "1 second"

/** Readiness by these probes, asked side by side. */
export const make = <E>(probes: ReadonlyArray<Probe<E>>): Effect.Effect<typeof Readiness.Service> =>
  Effect.forEach(
    probes,
    ({ ask, name }) =>
      ask.pipe(
        Effect.timeout(PATIENCE),
        Effect.tapErrorCause((cause) =>
          Effect.logWarning("Not ready", cause).pipe(Effect.annotateLogs({ check: name }))
        ),
        Effect.exit,
        Effect.map((exit): ReadinessCheck => ({ name, ready: exit._tag === "Success" }))
      ),
    { concurrency: "unbounded" }
  ).pipe(
    Effect.map((checks): ReadinessReport => ({ ready: checks.every(({ ready }) => ready), checks })),
    Effect.withSpan("Readiness.check"),
    Effect.cachedWithTTL(KEPT),
    Effect.map((check) => ({ check }))
  )

/** Ready when the store answers. */
export const layerClickhouse: Layer.Layer<Readiness, never, Clickhouse> = Layer.effect(
  Readiness,
  Effect.flatMap(Clickhouse, (clickhouse) => make([{ name: "clickhouse", ask: clickhouse.ping }]))
)
