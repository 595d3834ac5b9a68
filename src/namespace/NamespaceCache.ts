/**
 * Registrations as this process judges by them. One is read again within a second, so that what another process registered
 * takes effect without a restart; what this process registered holds here at once. Of two words on a namespace the later
 * version counts, whichever came first: a reading that was under way never takes back what was registered meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Namespace } from "./NamespaceModel.ts"
import { NamespaceStore } from "./NamespaceStore.ts"

export class NamespaceCache extends Context.Tag("loom/namespace/NamespaceCache")<NamespaceCache, {
  /** The registration in force; undefined where nobody registered the namespace. */
  readonly registered: (scope: Scope) => Effect.Effect<Namespace | undefined, StoreError>
  /** Takes over what this process has just registered. */
  readonly advance: (namespace: Namespace) => Effect.Effect<void>
  /** Waits until every process judges by what was registered before. */
  readonly settled: Effect.Effect<void>
}>() {}

// A registration of another process takes effect within this time (milliseconds).
const TTL_MILLIS = 1_000

// Namespaces whose registration is kept; beyond it all are read again, which costs one short query each.
const KEPT = 10_000

interface Kept {
  readonly namespace: Namespace | undefined
  readonly readAt: number
}

const make = (settled: Effect.Effect<void>) =>
  Effect.map(NamespaceStore, (store): NamespaceCache["Type"] => {
    const kept = new Map<string, Kept>()

    /** Keeps the later of what was known and what was learnt. */
    const keep = (scope: Scope, learnt: Namespace | undefined, readAt: number): Namespace | undefined => {
      const id = actorId(scope)
      const known = kept.get(id)?.namespace
      const isNewer = known === undefined || (learnt !== undefined && learnt.version >= known.version)
      const namespace = isNewer ? learnt : known
      if (kept.size >= KEPT) kept.clear()
      kept.set(id, { namespace, readAt })
      return namespace
    }

    return {
      registered: Effect.fn("NamespaceCache.registered")(function*(scope) {
        const now = yield* Clock.currentTimeMillis
        const known = kept.get(actorId(scope))
        if (known !== undefined && now - known.readAt < TTL_MILLIS) return known.namespace
        return keep(scope, Option.getOrUndefined(yield* store.find(scope)), now)
      }),
      advance: (namespace) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          keep(namespace, namespace, now)
        }),
      settled
    }
  })

/** Of the one process that judges. */
export const layer: Layer.Layer<NamespaceCache, never, NamespaceStore> = Layer.effect(NamespaceCache, make(Effect.void))

/** Of one among several: the others read again what they know within the second. */
export const layerShared: Layer.Layer<NamespaceCache, never, NamespaceStore> = Layer.effect(
  NamespaceCache,
  make(Effect.sleep(TTL_MILLIS))
)
