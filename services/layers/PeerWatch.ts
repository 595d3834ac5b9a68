/**
 * Each runner watches the next ones around a ring: a runner whose port refuses is gone, and is marked so at once. The
 * library's own check runs on one runner alone, so when that one dies nobody is told before its signs of life have
 * expired. Silence is left to that check and to the expiry, since a busy or cut-off runner is silent too; a runner marked
 * gone by mistake is marked well again by the next check.
 */
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as TcpProbe from "../../src/platform/TcpProbe.ts"

/** Two, so that one of two that die together is still seen at once; a probe is one packet there and back. */
const WATCHED = 2

/** A part of the second within which the others hear of it. */
const INTERVAL = Duration.millis(500)

const PATIENCE_MILLIS = 500

interface Seen {
  readonly address: RunnerAddress
  readonly healthy: boolean
}

const order = ({ host, port }: RunnerAddress): string => `${host}:${port}`

/**
 * The well runners that `self` watches, in the order of the ring: those that follow it by address. None when `self` is not
 * known to be well itself, for then it may be the one that is cut off.
 */
export const watchedBy = (self: RunnerAddress, runners: ReadonlyArray<Seen>): ReadonlyArray<RunnerAddress> => {
  const ring = runners.filter(({ healthy }) => healthy).map(({ address }) => address).sort((left, right) =>
    order(left) < order(right) ? -1 : 1
  )
  const at = ring.findIndex((address) => order(address) === order(self))
  return at < 0 ? [] : [...ring.slice(at + 1), ...ring.slice(0, at)].slice(0, WATCHED)
}

const look = (storage: RunnerStorage.RunnerStorage["Type"], self: RunnerAddress) =>
  Effect.gen(function*() {
    const runners = yield* storage.getRunners
    const watched = watchedBy(self, runners.map(([{ address }, healthy]) => ({ address, healthy })))
    yield* Effect.forEach(
      watched,
      (address) =>
        Effect.flatMap(TcpProbe.probe(address, PATIENCE_MILLIS), (found) =>
          found === "refused"
            ? Effect.zipRight(
              Effect.logWarning("A runner is gone").pipe(Effect.annotateLogs({ runner: order(address) })),
              storage.setRunnerHealth(address, false)
            )
            : Effect.void),
      { concurrency: "unbounded", discard: true }
    )
  })

/** Watches for as long as the layer lives, as the runner at this address. */
export const layer = (self: RunnerAddress): Layer.Layer<never, never, RunnerStorage.RunnerStorage> =>
  Layer.scopedDiscard(
    Effect.flatMap(RunnerStorage.RunnerStorage, (storage) =>
      look(storage, self).pipe(
        // Without the store nobody hears of it, and the runner has worse to say of that.
        Effect.catchTag("PersistenceError", () => Effect.void),
        Effect.repeat(Schedule.spaced(INTERVAL)),
        Effect.forkScoped
      ))
  )
