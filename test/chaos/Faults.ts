/**
 * Carries faults out on a house, by a plan. Faults on different runners may overlap, never two on one; a runner is left
 * alone while no other would be well, so that all are never gone for longer than a fail-over. Each fault notes which
 * namespaces its runner owned, and lasts until the runner is well again.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { isOfRunner } from "./FaultPlan.ts"
import type { FaultKind, PlannedFault } from "./FaultPlan.ts"
import type { Line } from "./FaultProxy.ts"
import type { House, Runner } from "./House.ts"
import type { Owners } from "./Owners.ts"

/** One fault that took place; times in milliseconds by the clock of the run. */
export interface DoneFault {
  readonly kind: FaultKind
  /** How: which signal, what became of the line. */
  readonly way: string
  /** Empty for a fault of a store. */
  readonly runner: string
  readonly namespaces: ReadonlyArray<string>
  readonly start: number
  end: number
}

export interface FaultsOptions {
  readonly house: House
  readonly owners: Owners
  readonly plan: Generator<PlannedFault, never>
  readonly now: () => number
  /** No fault begins after this. */
  readonly until: number
  readonly note: (at: number, what: string) => void
}

const SECOND = 1_000
// Longer than a runner's locks live without a sign of it (6 s): by twice and more, and by so little that its callers still
// wait for it when it comes back and find it no longer the owner.
const STOP_MILLIS = [15 * SECOND, 20 * SECOND] as const
const SHORT_STOP_MILLIS = [7 * SECOND, 10 * SECOND] as const
const SHORT_STOP_SHARE = 0.4
const CUT_MILLIS = [5 * SECOND, 14 * SECOND] as const
// Behind the 6 s of a lock, and before a caller's 30 s are over: then what was under way comes in late.
const ISOLATED_MILLIS = [8 * SECOND, 18 * SECOND] as const
const DOWN_MILLIS = [1 * SECOND, 5 * SECOND] as const
const LAG_MILLIS = [100, 800] as const
const SKEW_SECONDS = [5, 300] as const

const between = ([low, high]: readonly [number, number], share: number): number =>
  Math.round(low + (high - low) * share)

/** What becomes of a line to a store. */
const lineOf = ({ length, way }: PlannedFault): Line =>
  way < 0.3
    ? { _tag: "lag", millis: between(LAG_MILLIS, length) }
    : way < 0.65
    ? { _tag: "hang" }
    : { _tag: "gone" }

/** A fault on a runner to its end, with the word for how. */
const onRunner = (planned: PlannedFault, runner: Runner) => {
  const { kind, length, way } = planned
  const down = Effect.sleep(between(DOWN_MILLIS, way))
  const restarted = Effect.orDie(runner.start())
  switch (kind) {
    case "kill":
      return { how: "SIGKILL", run: runner.end("SIGKILL").pipe(Effect.zipRight(down), Effect.zipRight(restarted)) }
    case "term":
      return { how: "SIGTERM", run: runner.end("SIGTERM").pipe(Effect.zipRight(down), Effect.zipRight(restarted)) }
    case "stop": {
      const millis = between(way < SHORT_STOP_SHARE ? SHORT_STOP_MILLIS : STOP_MILLIS, length)
      return {
        how: `SIGSTOP ${millis} ms`,
        run: runner.signal("SIGSTOP").pipe(
          Effect.zipRight(Effect.sleep(millis)),
          Effect.ensuring(runner.signal("SIGCONT"))
        )
      }
    }
    case "skew": {
      const seconds = between(SKEW_SECONDS, length) * (way < 0.5 ? -1 : 1)
      const env = { LOOM_TEST_CLOCK_SKEW_MS: String(seconds * SECOND) }
      return {
        how: `clock off by ${seconds} s`,
        run: runner.end("SIGTERM").pipe(Effect.zipRight(Effect.orDie(runner.start(env))))
      }
    }
    case "partition": {
      const millis = between(ISOLATED_MILLIS, length)
      return {
        how: `${millis} ms`,
        run: runner.host.link(false).pipe(
          Effect.zipRight(Effect.sleep(millis)),
          Effect.ensuring(runner.host.link(true))
        )
      }
    }
    case "isolate": {
      const millis = between(ISOLATED_MILLIS, length)
      const set = (line: Line) =>
        Effect.sync(() => {
          runner.postgres.set(line)
          runner.clickhouse.set(line)
        })
      return {
        how: `hang ${millis} ms`,
        run: set({ _tag: "hang" }).pipe(
          Effect.zipRight(Effect.sleep(millis)),
          Effect.ensuring(set({ _tag: "pass" }))
        )
      }
    }
    default: {
      const [proxy, line] = [kind === "cut_postgres" ? runner.postgres : runner.clickhouse, lineOf(planned)]
      const millis = between(CUT_MILLIS, length)
      return {
        how: `${line._tag === "lag" ? `lag of ${line.millis} ms` : line._tag} ${millis} ms`,
        run: Effect.sync(() => proxy.set(line)).pipe(
          Effect.zipRight(Effect.sleep(millis)),
          Effect.ensuring(Effect.sync(() => proxy.set({ _tag: "pass" })))
        )
      }
    }
  }
}

const onStore = ({ kind, length, way }: PlannedFault, house: House) => {
  const kills = way < 0.5
  if (kind === "restart_engine") {
    return { how: kills ? "SIGKILL" : "SIGTERM", run: Effect.orDie(house.restartEngine(kills ? "SIGKILL" : "SIGTERM")) }
  }
  const { kill, start, stop } = house.postgres
  return {
    how: kills ? "SIGKILL" : "stop",
    run: (kills ? kill : stop).pipe(
      Effect.zipRight(Effect.sleep(between(DOWN_MILLIS, length))),
      Effect.zipRight(Effect.orDie(start))
    )
  }
}

/** Faults until the time is up; what lasts then is brought to its end. */
export const run = (options: FaultsOptions): Effect.Effect<ReadonlyArray<DoneFault>> =>
  Effect.gen(function*() {
    const { house, note, now, owners, plan, until } = options
    const done: Array<DoneFault> = []
    const lasting: Array<Fiber.RuntimeFiber<void>> = []
    const busy = new Set<string>()
    /** The planned runner, or the next one that is well; none while it would be the last. */
    const target = (planned: PlannedFault): Runner | undefined => {
      const { length } = house.runners
      if (busy.size >= Math.max(1, length - 1)) return undefined
      const order = house.runners.map((_, index) => house.runners[(planned.runner + index) % length])
      return order.find((runner) => runner !== undefined && !busy.has(runner.name))
    }
    const begin = (planned: PlannedFault, runner: Runner | undefined) => {
      const name = runner?.name ?? planned.kind
      const { how, run } = runner === undefined ? onStore(planned, house) : onRunner(planned, runner)
      const fault: DoneFault = {
        kind: planned.kind,
        way: how,
        runner: runner?.name ?? "",
        namespaces: runner === undefined ? [] : owners.ownedBy(runner.name),
        start: now(),
        end: Number.POSITIVE_INFINITY
      }
      done.push(fault)
      busy.add(name)
      note(fault.start, `${planned.kind} ${fault.runner} ${how}`)
      return run.pipe(
        Effect.ensuring(Effect.sync(() => {
          busy.delete(name)
          fault.end = now()
          note(fault.end, `${planned.kind} ${fault.runner} over`)
        })),
        Effect.fork
      )
    }
    for (;;) {
      const planned = plan.next().value
      const wait = Math.min(planned.after, Math.max(0, until - now()))
      yield* Effect.sleep(wait)
      // Waits for another runner to be well, or for the store that is being restarted.
      let runner = isOfRunner(planned.kind) ? target(planned) : undefined
      while (now() < until && (isOfRunner(planned.kind) ? runner === undefined : busy.has(planned.kind))) {
        yield* Effect.sleep(200)
        runner = isOfRunner(planned.kind) ? target(planned) : undefined
      }
      if (now() >= until) break
      lasting.push(yield* begin(planned, runner))
    }
    yield* Effect.forEach(lasting, Fiber.join, { discard: true })
    return done
  }).pipe(Effect.scoped)
