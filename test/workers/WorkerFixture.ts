/**
 * A worker's whole surroundings in this process: a feed that tests append to, a store, the fence, and named
 * points at which a test lets it crash.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import * as FenceMemory from "../../src/memory/FenceMemory.ts"
import * as ChangeFeed from "../../src/work/ChangeFeed.ts"
import type { FeedChange } from "../../src/work/ChangeFeed.ts"
import * as WorkerStore from "../../src/work/WorkerStore.ts"

/** What happens at the fault points, first in first out; nothing once it is empty. */
export class Faults extends Context.Tag("loom/test/workers/Faults")<Faults, {
  readonly at: Map<string, Array<Effect.Effect<void>>>
  readonly passed: Array<string>
}>() {}

const layerFaults = Layer.effectContext(Effect.sync(() => {
  const at = new Map<string, Array<Effect.Effect<void>>>()
  const passed: Array<string> = []
  return Context.make(Faults, { at, passed }).pipe(
    Context.add(FaultPoint, {
      hit: (point) =>
        Effect.suspend(() => {
          passed.push(point)
          return at.get(point)?.shift() ?? Effect.void
        })
    })
  )
}))

export const layer = ChangeFeed.layerMemory.pipe(
  Layer.provideMerge(
    Layer.mergeAll(ChangeFeed.layerChanges, WorkerStore.layerMemory, FenceMemory.layerMemory, layerFaults)
  ),
  Layer.provideMerge(LocalSharding.layer),
  Layer.provideMerge(Logger.remove(Logger.defaultLogger))
)

export const changeOf = (version: bigint, changed: Partial<FeedChange> = {}): FeedChange => ({
  version,
  change: "create",
  agent: "",
  user_id: "-",
  session_id: "",
  memory_key: `k/${version}`,
  memory_id: `mem_${version}`,
  status: "active",
  write_id: `wr_${version}`,
  cause: "",
  ...changed
})

/** Appends one change for each version. */
export const append = (scope: Scope, ...versions: ReadonlyArray<bigint>) =>
  Effect.map(
    ChangeFeed.FeedChanges,
    (changes) => versions.forEach((version) => changes.append(scope, changeOf(version)))
  )

/** Lets time pass in steps, so that whoever waits in between gets its turn. */
export const pass = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds }), () => TestClock.adjust("1 second"), { discard: true })
