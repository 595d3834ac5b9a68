/**
 * A memory store whose commits fail as a script says: before anything is written, or after everything is (the caller then
 * does not know). Everything else is the store underneath.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"

export type Fault = "none" | "before" | "after"

/** The faults of the next commits, first in first out; commits beyond the script succeed. */
export class FaultScript extends Context.Tag("loom/test/support/FaultyStore/FaultScript")<FaultScript, {
  readonly next: Array<Fault>
  /** Whether `committed` fails too, so that the outcome stays unknown. */
  readonly blind: { value: boolean }
  /** How often an actor has loaded its namespace. */
  readonly loads: { count: number }
}>() {}

export const layerScript = Layer.sync(FaultScript, () => ({ next: [], blind: { value: false }, loads: { count: 0 } }))

export const layer = Layer.effect(
  MemoryStore,
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const script = yield* FaultScript
    const fail = Effect.fail(new Unavailable({ operation: "FaultyStore.commit" }))
    return MemoryStore.of({
      ...store,
      commit: (commit, owners) => {
        const fault = commit.rows.length === 0 ? "none" : script.next.shift() ?? "none"
        return fault === "before"
          ? fail
          : fault === "after"
          ? Effect.zipRight(store.commit(commit, owners), fail)
          : store.commit(commit, owners)
      },
      repair: (...place) => {
        script.loads.count++
        return store.repair(...place)
      },
      committed: (scope, versions) => script.blind.value ? fail : store.committed(scope, versions)
    })
  })
)
