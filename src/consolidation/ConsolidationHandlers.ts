/** The handler of memory.consolidate: whose memories may be merged, and the answer. */
import * as Effect from "effect/Effect"
import { readableUser, resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { metaOf } from "../memory/MemoryRequest.ts"
import { Consolidation } from "./Consolidation.ts"
import { MemoryConsolidate } from "./ConsolidationVerbs.ts"
import type { ConsolidatedGroup } from "./ConsolidationVerbs.ts"

const DEFAULT_LIMIT = 20

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Consolidation> = Effect.gen(function*() {
  const consolidation = yield* Consolidation

  const consolidate = (request: Payload<typeof MemoryConsolidate>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      // A token bound to one user merges that user's memories alone.
      if (request.user_id !== undefined) yield* resolveUser(caller, request.user_id)
      const { user } = readableUser(caller, request.user_id)
      const dry_run = request.dry_run ?? true
      const { groups, looked_at, truncated, unchanged } = yield* consolidation.run(scope, {
        filter: {
          user_id: user,
          prefix: request.key_prefix ?? null,
          keys: request.memory_keys ?? null,
          entity: request.entity === undefined ? null : canonicalEntity(request.entity)
        },
        limit: request.limit ?? DEFAULT_LIMIT,
        insists: true,
        meta: metaOf(MemoryConsolidate.tag, { dry_run }, caller, "derived")
      })
      const count = (outcome: ConsolidatedGroup["outcome"]) =>
        groups.filter((group) => group.outcome === outcome).length
      return {
        groups,
        written: count("written"),
        unchanged,
        merged: count("merged"),
        refused: count("refused"),
        looked_at,
        truncated,
        model: consolidation.model,
        dry_run,
        degraded: []
      }
    })

  return [bind(MemoryConsolidate, consolidate)]
})
