/**
 * The read side of digests, for the leg. Every method takes the scope and the filter: a digest outside them leads nowhere,
 * and a memory outside them is led to by none.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { FoundDigest } from "./DigestModel.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { Head, SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** A memory that a digest names, and whether it may be a hit; one that may not still bears the digest out. */
export interface StandingHead {
  readonly head: Head
  readonly isFound: boolean
}

export class DigestIndex extends Context.Tag("loom/retrieval/DigestIndex")<DigestIndex, {
  /** Whether the namespace has digests at all: known without a statement mostly; the first ones may be missed a second. */
  readonly any: (scope: Scope) => Effect.Effect<boolean, StoreError>
  /** The digests closest to the question by meaning and words together, closest first. */
  readonly nearest: (
    scope: Scope,
    filter: SearchFilter,
    query: QueryVector,
    terms: ReadonlyArray<TermGroup>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundDigest>, StoreError>
  /** The live memories under the keys that these digests name, of their users, whatever else the filter asks. */
  readonly members: (
    scope: Scope,
    filter: SearchFilter,
    digests: ReadonlyArray<FoundDigest>
  ) => Effect.Effect<ReadonlyArray<StandingHead>, StoreError>
}>() {}

/** A store without digests. */
export const layerNone: Layer.Layer<DigestIndex> = Layer.succeed(DigestIndex, {
  any: () => Effect.succeed(false),
  nearest: () => Effect.succeed([]),
  members: () => Effect.succeed([])
})
