/**
 * Merges fragments in the namespaces that opted in, one namespace after the other. What was merged from the same contents
 * before is left as it is, so a run after a crash, and one that finds nothing new, writes nothing. A namespace that fails
 * keeps no other from its turn, and is looked at again with the next run.
 */
import * as Effect from "effect/Effect"
import { Consolidation } from "../src/consolidation/Consolidation.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import { NamespaceStore } from "../src/namespace/NamespaceStore.ts"
import { isPaused } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import * as Worker from "./Worker.ts"
import { metaOf } from "./WorkerMeta.ts"

export const NAME = "consolidation"

// Groups of one namespace and run: each may take a call of a model, some seconds.
const GROUPS = 50

const consolidate = (scope: Scope) =>
  Effect.gen(function*() {
    const { groups } = yield* (yield* Consolidation).run(scope, {
      filter: { user_id: null, prefix: null, keys: null, entity: null },
      limit: GROUPS,
      insists: false,
      meta: metaOf(NAME)
    })
    const written = groups.filter(({ outcome }) => outcome === "written").length
    if (written > 0) {
      yield* Effect.logInfo("Memories were merged").pipe(Effect.annotateLogs({ ...scope, written }))
    }
  })

/** One turn over all namespaces that opted in. */
export const run = Effect.gen(function*() {
  const scopes = yield* (yield* NamespaceStore).consolidating
  const pauses = scopes.length === 0 ? [] : yield* (yield* WorkerStore).pauses(NAME)
  for (const scope of scopes) {
    if (isPaused(pauses, scope)) continue
    yield* consolidate(scope).pipe(
      Effect.catchAll((error) =>
        Effect.logWarning("A namespace could not be consolidated").pipe(
          Effect.annotateLogs({ ...scope, error: error._tag })
        )
      )
    )
  }
})

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.makeScheduled({
    name: NAME,
    // What is merged is there in its parts all along; a whole namespace is read at each turn.
    every: "15 minutes",
    run,
    pace: { idle: "10 seconds", limit: "1 hour", ...pace }
  })
