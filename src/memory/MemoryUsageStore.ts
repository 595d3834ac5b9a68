/**
 * The port of what use has said of memories: how often each was relied on, and the credit and harm that are left of it. It
 * is folded from single reports (`src/run`) and can be folded again; a memory that nobody reported on has none. Whoever may
 * read a memory may read its numbers; who reported is kept elsewhere and shown to nobody.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"

export interface MemoryUsage {
  readonly memory_id: string
  /** Whose memory it is. */
  readonly user_id: string
  /** Votes for it, as much as was left of them at `last_at`. */
  readonly credit: number
  /** Votes against it, likewise. */
  readonly harm: number
  /** Milliseconds: when it was last relied on. */
  readonly last_at: number
  readonly used_count: number
  readonly harm_count: number
}

export class MemoryUsageStore extends Context.Tag("loom/memory/MemoryUsageStore")<MemoryUsageStore, {
  /** Of these memories, those that were used. */
  readonly find: (scope: Scope, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<MemoryUsage>, StoreError>
  /** Takes the place of what was known of these memories; `at` in milliseconds, the last one counts. */
  readonly put: (scope: Scope, usages: ReadonlyArray<MemoryUsage>, at: number) => Effect.Effect<void, Unavailable>
}>() {}

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<MemoryUsageStore> = Layer.sync(MemoryUsageStore, () => {
  const kept = new Map<string, { readonly usage: MemoryUsage; readonly at: number }>()
  const nameOf = (scope: Scope, id: string) => `${actorId(scope)} ${id}`
  return {
    find: (scope, ids) =>
      Effect.sync(() => [...new Set(ids)].flatMap((id) => kept.get(nameOf(scope, id))?.usage ?? [])),
    put: (scope, usages, at) =>
      Effect.sync(() => {
        for (const usage of usages) {
          const name = nameOf(scope, usage.memory_id)
          if ((kept.get(name)?.at ?? 0) <= at) kept.set(name, { usage, at })
        }
      })
  }
})
