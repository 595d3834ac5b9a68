/**
 * Reads ahead for an actor that has just come up, beside its work.
 */
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { ActorState } from "./ActorState.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryStore } from "./MemoryStore.ts"

// A page is decoded in some ten milliseconds; between two of them writes go on.
const WARM_PAGE = 500
// What a namespace too large for the cache meets in its first minutes.
const WARM_ROWS = 20_000
// Longer values are documents rather than claims, and a page of them would be hundreds of megabytes.
const WARM_VALUE = 16_384

/**
 * Fills the cache beside the actor's work, so that batches need not wait for each row they meet: with every head where all
 * fit, else with those written last. A row that changed in the meantime is left out; `isCurrent` ends it when the state was
 * thrown away.
 */
export const warm = Effect.fn("ActorWarm.warm")(function*(scope: Scope, state: ActorState, isCurrent: () => boolean) {
  const { cache, index } = state
  if (index === null || index.size === 0) return
  const store = yield* MemoryStore
  const take = (rows: ReadonlyArray<MemoryRow>) => {
    for (const row of rows) {
      const identity = identityKey(row)
      if (cache.hasRoom && index.get(identity)?.version === row.version && !cache.has(identity)) cache.put(row)
    }
  }
  const goesOn = () => isCurrent() && cache.hasRoom
  if (cache.holds(index.size)) {
    let after: MemoryRow | null = null
    while (goesOn()) {
      const page: ReadonlyArray<MemoryRow> = yield* store.heads(scope, { after, limit: WARM_PAGE, longest: WARM_VALUE })
      take(page)
      after = page[page.length - 1] ?? null
      if (after === null || page.length < WARM_PAGE) return
    }
    return
  }
  const newest = index.newest(WARM_ROWS)
  for (let from = 0; from < newest.length && goesOn(); from += WARM_PAGE) {
    const page = newest.slice(from, from + WARM_PAGE).filter((entry) => !cache.has(identityKey(entry)))
    take(page.length === 0 ? [] : yield* store.rows(scope, page))
    yield* Effect.yieldNow()
  }
})
