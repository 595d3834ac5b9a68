/**
 * The handlers of the namespace verbs. Registration is read again by an actor within seconds (`PolicyCache` in the
 * memory slice), so it takes effect without a restart.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { opensNamespace, resolveScope } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { DEFAULT_CONFLICT_POLICY } from "./NamespaceModel.ts"
import type { Namespace } from "./NamespaceModel.ts"
import { NamespaceStore } from "./NamespaceStore.ts"
import { NamespaceGet, NamespaceList, NamespaceRegister } from "./NamespaceVerbs.ts"

const view = (scope: Scope, found: Option.Option<Namespace>) =>
  Option.match(found, {
    onNone: () => ({
      ...scope,
      registered: false,
      default_conflict_policy: DEFAULT_CONFLICT_POLICY,
      description: "",
      created_at: null,
      updated_at: null
    }),
    onSome: (one) => ({
      org: one.org,
      namespace: one.namespace,
      registered: true,
      default_conflict_policy: one.default_conflict_policy,
      description: one.description,
      created_at: new Date(one.created_at).toISOString(),
      updated_at: new Date(one.updated_at).toISOString()
    })
  })

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, NamespaceStore> = Effect.gen(function*() {
  const store = yield* NamespaceStore
  return [
    bind(NamespaceRegister, (request, caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const before = Option.getOrUndefined(yield* store.find(scope))
        const now = yield* Clock.currentTimeMillis
        const version = BigInt(now) * 1_000_000n
        const namespace: Namespace = {
          ...scope,
          default_conflict_policy: request.default_conflict_policy ?? before?.default_conflict_policy ??
            DEFAULT_CONFLICT_POLICY,
          description: request.description ?? before?.description ?? "",
          created_at: before?.created_at ?? now,
          updated_at: now,
          actor: caller.actor,
          // Grows even when the clock does not.
          version: before !== undefined && before.version >= version ? before.version + 1n : version
        }
        yield* store.put(namespace)
        return view(scope, Option.some(namespace))
      })),
    bind(NamespaceGet, (request, caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        return view(scope, yield* store.find(scope))
      })),
    bind(NamespaceList, (request, caller) =>
      Effect.gen(function*() {
        const org = request.org ?? caller.org
        const all = org === caller.org ? yield* store.list(org) : []
        return {
          namespaces: all.filter((one) => opensNamespace(caller, one.namespace)).map((one) =>
            view(one, Option.some(one))
          )
        }
      }))
  ]
})
