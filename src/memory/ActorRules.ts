/**
 * The rules a namespace's actor judges by: the registered policies, per memory type and tag, and what is refused. Read
 * again within a second, so that a registration or a new blacklist pattern takes effect without a restart.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { DEFAULT_CONFLICT_POLICY } from "../namespace/NamespaceModel.ts"
import { NamespaceStore } from "../namespace/NamespaceStore.ts"
import type { Planning } from "./MemoryWriting.ts"

/** The rules as of one moment. */
export interface NamespaceRules {
  readonly rulesFor: Planning["rulesFor"]
  readonly blacklisted: Planning["blacklisted"]
}

export class ActorRules extends Context.Tag("loom/memory/ActorRules")<ActorRules, {
  readonly read: (scope: Scope, bulkDedup: "identity" | "none") => Effect.Effect<NamespaceRules, StoreError>
}>() {}

// A registration takes effect within this time on every actor (milliseconds).
const TTL_MILLIS = 1_000

// Namespaces whose rules are kept; beyond it all are read again, which costs one short query each.
const KEPT = 10_000

export const layer: Layer.Layer<ActorRules, never, NamespaceStore> = Layer.effect(
  ActorRules,
  Effect.map(NamespaceStore, (namespaces) => {
    const kept = new Map<string, { readonly rules: NamespaceRules; readonly readAt: number }>()
    const fresh = Effect.fn("ActorRules.read")(function*(scope: Scope, bulkDedup: "identity" | "none") {
      const found = yield* namespaces.find(scope)
      const conflictPolicy = Option.match(found, {
        onNone: () => DEFAULT_CONFLICT_POLICY,
        onSome: (one) => one.default_conflict_policy
      })
      const rules = { conflictPolicy, bulkDedup, thresholds: { conflict: 0.7, duplicate: 0.8 }, multiValued: [] }
      const asOf: NamespaceRules = { rulesFor: () => rules, blacklisted: () => undefined }
      return asOf
    })
    return {
      read: (scope, bulkDedup) =>
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const key = actorId(scope)
          const known = kept.get(key)
          if (known !== undefined && now - known.readAt < TTL_MILLIS) return known.rules
          const rules = yield* fresh(scope, bulkDedup)
          if (kept.size >= KEPT) kept.clear()
          kept.set(key, { rules, readAt: now })
          return rules
        })
    }
  })
)
