/**
 * The port that finds the memories that may be fragments of something: where they are, not what they say. It may tell of
 * more than are fragments in the end (`isFragment`), never of fewer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"

export type Place = Writer & { readonly memory_key: string }

/** What is null is no filter. */
export interface FragmentFilter {
  readonly user_id: string | null
  readonly prefix: string | null
  readonly keys: ReadonlyArray<string> | null
  /** In canonical form. */
  readonly entity: string | null
}

export class ConsolidationStore extends Context.Tag("loom/consolidation/ConsolidationStore")<ConsolidationStore, {
  /** Places of heads that match, by user and key, `limit` of them at most. */
  readonly places: (
    scope: Scope,
    filter: FragmentFilter,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Place>, StoreError>
}>() {}

// Heads of one page, with their values.
const PAGE = 1_000
const LONGEST_VALUE = 64 * 1024

const order = ({ agent, memory_key, session_id, user_id }: Place): string =>
  [user_id, memory_key, agent, session_id].join("\u0000")

/** Over the heads of any store of memory: for tests, and for programs that have no other. */
export const layerMemory: Layer.Layer<ConsolidationStore, never, MemoryStore> = Layer.effect(
  ConsolidationStore,
  Effect.map(MemoryStore, (store) => ({
    places: (scope, { entity, keys, prefix, user_id }, limit) =>
      Effect.gen(function*() {
        const found: Array<Place> = []
        let after: Place | null = null
        while (true) {
          const page: Effect.Effect.Success<ReturnType<typeof store.heads>> = yield* store.heads(scope, {
            after,
            limit: PAGE,
            longest: LONGEST_VALUE
          })
          found.push(...page.filter((row) =>
            row.status === "active" && row.sensitivity !== "high" &&
            (user_id === null || row.user_id === user_id) &&
            (prefix === null || row.memory_key.startsWith(prefix)) &&
            (keys === null || keys.includes(row.memory_key)) &&
            (entity === null || row.entities.includes(entity))
          ))
          after = page[page.length - 1] ?? null
          if (after === null || page.length < PAGE) {
            return found.sort((left, right) => order(left) < order(right) ? -1 : 1).slice(0, limit)
          }
        }
      })
  }))
)
