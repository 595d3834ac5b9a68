/**
 * The port to the texts behind the hits of a search. The scope and the filter of that search are applied once more, so
 * what was deleted, changed or hidden since is not told.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Passage, Place, SearchFilter } from "../retrieval/SearchModel.ts"
import type { EvidenceText } from "./EvidenceModel.ts"

export class EvidenceStore extends Context.Tag("loom/ask/EvidenceStore")<EvidenceStore, {
  /** The texts at these places, by `placeKey`; of a long value the passage, else its beginning. */
  readonly texts: (
    scope: Scope,
    filter: SearchFilter,
    asked: ReadonlyArray<{ readonly place: Place; readonly passage: Passage | null }>
  ) => Effect.Effect<ReadonlyMap<string, EvidenceText>, StoreError>
  /** The keys of those among these memories that may be found, sorted; of 100 at the most. */
  readonly keys: (
    scope: Scope,
    filter: SearchFilter,
    memoryIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, StoreError>
}>() {}
