/**
 * The port that tells which memories have come to their expiry and still have to be dealt with. It is for the house itself and
 * asks across tenants, so nothing of it is ever shown. What is under a lock waits until that is over, and what is to be
 * kept (`on_expire: keep`) never comes up.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreError } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { isLocked } from "./WritePolicy.ts"

/** A memory whose expiry has come, at the version that was read. */
export type Expiry = Pick<
  MemoryRow,
  "org" | "namespace" | "user_id" | "memory_id" | "version" | "on_expire" | "expires_at"
>

export class Expiring extends Context.Tag("loom/memory/Expiring")<Expiring, {
  /** Those whose expiry came by `now` (milliseconds), the oldest first, within bounds. */
  readonly due: (now: number, bounds: Bounds) => Effect.Effect<ReadonlyArray<Expiry>, StoreError>
}>() {}

/** The most rows at once, and the most of one namespace. */
export interface Bounds {
  readonly limit: number
  readonly ofOne: number
}

/**
 * Whether something is left to do about a row. What is not served keeps what it is: a proposal whose end is moved is still one
 * that nobody decided. What contradicts another waits until somebody decides it, and is listed until then.
 */
export const isDue = (row: MemoryRow, now: number): boolean =>
  row.status === "active" && row.expires_at !== null && row.expires_at <= now &&
  row.on_expire !== "keep" && !isLocked(row, now)

// Heads looked at together.
const PAGE = 1_000

/** Over whatever store there is: it looks at every head, which is for small houses and tests. */
export const layerWalk: Layer.Layer<Expiring, never, MemoryStore | MemoryReview> = Layer.effect(
  Expiring,
  Effect.gen(function*() {
    const [store, review] = [yield* MemoryStore, yield* MemoryReview]
    return {
      due: Effect.fn("Expiring.due")(function*(now, { limit, ofOne }) {
        const found: Array<MemoryRow> = []
        const byEnd = (left: MemoryRow, right: MemoryRow) =>
          (left.expires_at ?? 0) - (right.expires_at ?? 0) || (left.memory_id < right.memory_id ? -1 : 1)
        for (const scope of yield* store.scopes) {
          let after: MemoryRow | null = null
          const own: Array<MemoryRow> = []
          for (;;) {
            const page: ReadonlyArray<MemoryRow> = yield* review.heads(scope, null, { after, limit: PAGE })
            own.push(...page.filter((row) => isDue(row, now)))
            after = page[page.length - 1] ?? null
            if (page.length < PAGE) break
          }
          found.push(...own.sort(byEnd).slice(0, ofOne))
        }
        return found.sort(byEnd).slice(0, limit)
      })
    }
  })
)
