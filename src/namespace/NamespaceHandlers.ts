/**
 * The handlers of the namespace verbs. A registration is in force in this process when it is answered, and within a second
 * in every other (`NamespaceCache`). A change reads what is registered and writes it back changed, one change at a time: two callers who
 * set different things at once both keep what they set. That holds within the process, and one process alone writes a
 * store.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { opensNamespace, resolveScope } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { NamespaceCache } from "./NamespaceCache.ts"
import { DEFAULT_CONFLICT_POLICY } from "./NamespaceModel.ts"
import type { Namespace } from "./NamespaceModel.ts"
import { noSettings } from "./NamespaceSettingsModel.ts"
import { NamespaceStore } from "./NamespaceStore.ts"
import { NamespaceGet, NamespaceList, NamespaceRegister } from "./NamespaceVerbs.ts"

const view = (scope: Scope, found: Option.Option<Namespace>) =>
  Option.match(found, {
    onNone: () => ({
      ...scope,
      registered: false,
      default_conflict_policy: DEFAULT_CONFLICT_POLICY,
      description: "",
      ...noSettings,
      created_at: null,
      updated_at: null
    }),
    onSome: (one) => ({
      org: one.org,
      namespace: one.namespace,
      registered: true,
      default_conflict_policy: one.default_conflict_policy,
      description: one.description,
      ...one.settings,
      created_at: new Date(one.created_at).toISOString(),
      updated_at: new Date(one.updated_at).toISOString()
    })
  })

/** A setting after a change: left out it is kept, null clears it. */
const changed = <A>(asked: A | null | undefined, before: A, empty: A): A =>
  asked === undefined ? before : asked ?? empty

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, NamespaceStore | NamespaceCache> = Effect.gen(
  function*() {
    const store = yield* NamespaceStore
    const cache = yield* NamespaceCache
    // Registrations are rare; one queue for all of them costs nobody anything.
    const oneAtATime = yield* Effect.makeSemaphore(1)
    return [
      bind(NamespaceRegister, (request, caller) =>
        Effect.gen(function*() {
          const scope = yield* resolveScope(caller, request)
          if (caller.boundUser !== null) {
            return yield* refuse(
              "FORBIDDEN",
              "A token bound to one user registers no namespace, since its settings decide over every user's writes"
            )
          }
          const before = Option.getOrUndefined(yield* store.find(scope))
          const old = before?.settings ?? noSettings
          const now = yield* Clock.currentTimeMillis
          const version = BigInt(now) * 1_000_000n
          const namespace: Namespace = {
            ...scope,
            default_conflict_policy: request.default_conflict_policy ?? before?.default_conflict_policy ??
              DEFAULT_CONFLICT_POLICY,
            description: request.description ?? before?.description ?? "",
            settings: {
              tag_registry: changed(request.tag_registry, old.tag_registry, noSettings.tag_registry),
              thresholds: changed(request.thresholds, old.thresholds, noSettings.thresholds),
              type_thresholds: changed(request.type_thresholds, old.type_thresholds, noSettings.type_thresholds),
              multi_valued_predicates: changed(
                request.multi_valued_predicates,
                old.multi_valued_predicates,
                noSettings.multi_valued_predicates
              ),
              consolidation: changed(request.consolidation, old.consolidation, noSettings.consolidation)
            },
            created_at: before?.created_at ?? now,
            updated_at: now,
            actor: caller.actor,
            // Grows even when the clock does not.
            version: before !== undefined && before.version >= version ? before.version + 1n : version
          }
          yield* store.put(namespace)
          yield* cache.advance(namespace)
          return view(scope, Option.some(namespace))
        }).pipe(oneAtATime.withPermits(1), Effect.zipLeft(cache.settled))),
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
  }
)
