/**
 * The rules a namespace's actor judges by: the registered policies per memory type and tag, the thresholds of the
 * embedder, and what is refused. They are asked for with every batch; registrations and the blacklist keep their own time.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BlacklistCache } from "../blacklist/BlacklistCache.ts"
import { judgedText } from "../blacklist/BlacklistModel.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { NamespaceCache } from "../namespace/NamespaceCache.ts"
import { settingsFor } from "../namespace/NamespaceSettingsModel.ts"
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

export const layer: Layer.Layer<ActorRules, never, NamespaceCache | Thresholds | BlacklistCache> = Layer.effect(
  ActorRules,
  Effect.gen(function*() {
    const namespaces = yield* NamespaceCache
    const thresholds = yield* Thresholds
    const blacklist = yield* BlacklistCache
    return {
      read: Effect.fn("ActorRules.read")(function*(scope, bulkDedup) {
        const namespace = yield* namespaces.registered(scope)
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
