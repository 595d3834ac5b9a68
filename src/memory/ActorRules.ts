/**
 * The rules a namespace's actor judges by: the registered policies per memory type and tag, the thresholds of the
 * embedder, and what is refused. A registration is read again within a second, so that it takes effect without a restart;
 * the blacklist keeps its own time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BlacklistCache } from "../blacklist/BlacklistCache.ts"
import { judgedText } from "../blacklist/BlacklistModel.ts"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Namespace } from "../namespace/NamespaceModel.ts"
import { settingsFor } from "../namespace/NamespaceSettingsModel.ts"
import { NamespaceStore } from "../namespace/NamespaceStore.ts"
import type { Planning } from "./MemoryWriting.ts"
import { Thresholds, thresholdsIn } from "./Thresholds.ts"
import type { Rules } from "./WritePolicy.ts"

/** The rules as of one moment. */
export interface NamespaceRules {
  readonly rulesFor: Planning["rulesFor"]
  readonly blacklisted: Planning["blacklisted"]
}

export class ActorRules extends Context.Tag("loom/memory/ActorRules")<ActorRules, {
  /** `bulkDedup` holds where no tag says otherwise. */
  readonly read: (scope: Scope, bulkDedup: Rules["bulkDedup"]) => Effect.Effect<NamespaceRules, StoreError>
}>() {}

// A registration takes effect within this time on every actor (milliseconds).
const TTL_MILLIS = 1_000

// Namespaces whose registration is kept; beyond it all are read again, which costs one short query each.
const KEPT = 10_000

interface Kept {
  readonly namespace: Namespace | undefined
  readonly readAt: number
}

export const layer: Layer.Layer<ActorRules, never, NamespaceStore | Thresholds | BlacklistCache> = Layer.effect(
  ActorRules,
  Effect.gen(function*() {
    const namespaces = yield* NamespaceStore
    const thresholds = yield* Thresholds
    const blacklist = yield* BlacklistCache
    const kept = new Map<string, Kept>()

    const registered = Effect.fn("ActorRules.registered")(function*(scope: Scope) {
      const now = yield* Clock.currentTimeMillis
      const known = kept.get(actorId(scope))
      if (known !== undefined && now - known.readAt < TTL_MILLIS) return known.namespace
      const namespace = Option.getOrUndefined(yield* namespaces.find(scope))
      if (kept.size >= KEPT) kept.clear()
      kept.set(actorId(scope), { namespace, readAt: now })
      return namespace
    })

    return {
      read: Effect.fn("ActorRules.read")(function*(scope, bulkDedup) {
        const namespace = yield* registered(scope)
        const base = yield* thresholds.inForce
        const matcher = yield* blacklist.matcher(scope)
        const rules: NamespaceRules = {
          rulesFor: (claim) => {
            const { conflictPolicy, dedup, retentionSeconds } = settingsFor(namespace, claim)
            return {
              conflictPolicy,
              bulkDedup: dedup ?? bulkDedup,
              retentionSeconds,
              thresholds: thresholdsIn(base, namespace?.settings, claim.memory_type),
              multiValued: namespace?.settings.multi_valued_predicates ?? []
            }
          },
          blacklisted: ({ value, value_kind }) => matcher.match(judgedText(value, value_kind))
        }
        return rules
      })
    }
  })
)
