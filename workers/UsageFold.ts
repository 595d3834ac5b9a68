/**
 * Folds what callers reported of memories into the numbers that reads show and the search may weigh. Every memory of which
 * a report was written since the last run is counted anew from all its reports, so a fold that broke off, or is made
 * twice, comes to the same; nothing is added up on the way. It changes no memory and takes none out of service.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import { actorId } from "../src/kernel/Identity.ts"
import type { StoreError } from "../src/kernel/LoomError.ts"
import { MemoryUsageStore } from "../src/memory/MemoryUsageStore.ts"
import { usageOf } from "../src/run/UseModel.ts"
import type { Tally } from "../src/run/UseModel.ts"
import { UseStore } from "../src/run/UseStore.ts"
import type { UsedMemory } from "../src/run/UseStore.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import * as Worker from "./Worker.ts"

export const NAME = "usage_fold"

// Some megabytes of reports at a time.
const PAGE = 500

// The frame keeps when the last run ended, and this run looks back further: as long as a run may take, and as long again
// for an insert on its way and for clocks of two hosts that differ.
const LIMIT = Duration.minutes(5)
const BACK = Duration.toMillis(LIMIT) * 2

const groups = <A>(all: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const found = new Map<string, Array<A>>()
  for (const one of all) found.set(nameOf(one), [...found.get(nameOf(one)) ?? [], one])
  return [...found.values()]
}

/** Counts these memories anew. */
const fold = (memories: ReadonlyArray<UsedMemory>) =>
  Effect.gen(function*() {
    const uses = yield* UseStore
    const usages = yield* MemoryUsageStore
    for (const own of groups(memories, ({ scope }) => actorId(scope))) {
      const [first] = own
      if (first === undefined) continue
      // Read after the clock: of two folds the one that read later counts.
      const at = yield* Clock.currentTimeMillis
      const tallies = yield* uses.tallies(first.scope, own.map(({ memory_id }) => memory_id))
      const found = groups(tallies, ({ memory_id }: Tally) => memory_id).flatMap((of) => usageOf(of) ?? [])
      yield* usages.put(first.scope, found, at)
    }
  })

/** One run: everything that was reported on since the last one. */
export const run: Effect.Effect<void, StoreError, UseStore | MemoryUsageStore | WorkerStore> = Effect.gen(function*() {
  const uses = yield* UseStore
  const [kept] = yield* (yield* WorkerStore).cursors(NAME, "everything")
  const since = Math.max(0, Number((kept?.position ?? 0n) / 1_000_000n) - BACK)
  let after: UsedMemory | null = null
  while (true) {
    const page: ReadonlyArray<UsedMemory> = yield* uses.reported(since, { after, limit: PAGE })
    yield* fold(page)
    yield* faultPoint("usage_fold.between")
    after = page[page.length - 1] ?? null
    if (after === null || page.length < PAGE) return
  }
})

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.makeScheduled({
    name: NAME,
    // A prior that is a minute late orders nothing wrongly; each run counts what ten minutes brought.
    every: "1 minute",
    run,
    pace: { idle: "10 seconds", limit: LIMIT, ...pace }
  })
