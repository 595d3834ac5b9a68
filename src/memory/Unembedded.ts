/**
 * The port that tells which namespaces hold memories without vectors of an embedder: after a change of embedder all of
 * them, after a crash or an embedder that was away a few. It is for the house itself and asks across tenants, so nothing of
 * it is ever shown.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"

/** How many memories of a namespace lack their vectors, at least one. */
export interface Lack {
  readonly scope: Scope
  readonly memories: number
}

export class Unembedded extends Context.Tag("loom/memory/Unembedded")<Unembedded, {
  /** The namespaces with the most first, `limit` at most. */
  readonly find: (embedderId: string, limit: number) => Effect.Effect<ReadonlyArray<Lack>, StoreError>
}>() {}
