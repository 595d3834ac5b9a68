/**
 * The port that keeps namespace registrations. `find` answers what was registered last; `put` replaces it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Scope } from "../kernel/Identity.ts"
import { actorId } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { Namespace } from "./NamespaceModel.ts"

export class NamespaceStore extends Context.Tag("loom/namespace/NamespaceStore")<NamespaceStore, {
  readonly find: (scope: Scope) => Effect.Effect<Option.Option<Namespace>, StoreError>
  /** The registered namespaces of one org, by name. */
  readonly list: (org: string) => Effect.Effect<ReadonlyArray<Namespace>, StoreError>
  /** The namespaces of every org that opted in to consolidation. */
  readonly consolidating: Effect.Effect<ReadonlyArray<Scope>, StoreError>
  readonly put: (namespace: Namespace) => Effect.Effect<void, Unavailable>
}>() {}

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<NamespaceStore> = Layer.effect(
  NamespaceStore,
  Effect.map(Ref.make(new Map<string, Namespace>()), (ref) => ({
    find: (scope: Scope) => Effect.map(Ref.get(ref), (all) => Option.fromNullable(all.get(actorId(scope)))),
    list: (org: string) =>
      Effect.map(
        Ref.get(ref),
        (all) =>
          [...all.values()].filter((one) => one.org === org).sort((left, right) =>
            left.namespace < right.namespace ? -1 : 1
          )
      ),
    consolidating: Effect.map(
      Ref.get(ref),
      (all) =>
        [...all.values()].filter(({ settings }) => settings.consolidation).map(({ namespace, org }) => ({
          org,
          namespace
        }))
    ),
    put: (namespace: Namespace) => Ref.update(ref, (all) => new Map(all).set(actorId(namespace), namespace))
  }))
)
