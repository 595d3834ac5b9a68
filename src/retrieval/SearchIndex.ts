/**
 * The port to whatever finds memories by meaning and by word. Every method takes the scope and the filter and applies
 * both before it ranks, so a row outside them moves nothing: no hit, no order, no count. A row is answered only while
 * the served head of its memory has the content it was derived from.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Corpus, TermCounts } from "../platform/Bm25.ts"
import type { Cosines, EntityWeights, Head, HiddenHead, Passage, Place, SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** A question's vector and the embedder it comes from; vectors of other embedders are never compared with it. */
export interface QueryVector {
  readonly embedderId: string
  readonly vector: Float32Array
}

/** What was found at places, by `placeKey`. */
export type PlaceMap<A> = ReadonlyMap<string, A>

/** Every hit comes with the served head it was found for. */
export interface VectorHit {
  readonly head: Head
  readonly cosines: Cosines
}

export interface WordHit {
  readonly head: Head
  readonly terms: TermCounts
}

export interface PassageHit extends WordHit {
  readonly passage: Passage
}

/** A memory's vectors in 8-bit numbers, each on a scale of its own. */
export interface SmallVectors {
  readonly embedderId: string
  readonly value: ReadonlyArray<number>
  readonly key: ReadonlyArray<number>
}

/** What stands at a place. */
export interface DerivedText {
  /** With the question; absent when its vector is of another embedder or was not known to whoever read this. */
  readonly cosines?: Cosines | undefined
  /** To take the cosines from, where the question's vector was not known. */
  readonly vectors?: SmallVectors | undefined
  /** Absent when the question's words were not counted. */
  readonly terms?: TermCounts | undefined
  readonly excerpt: string
}

export interface Answer<Hit> {
  readonly hits: ReadonlyArray<Hit>
  /** Memories that were looked at beside those of the hits and would be served but for their state. */
  readonly passed: ReadonlyArray<HiddenHead>
  /** What was read beside any of these places, so that nobody needs to read it again. */
  readonly read: PlaceMap<DerivedText>
}

export interface WordAnswer<Hit> extends Answer<Hit> {
  readonly corpus: Corpus
}

export class SearchIndex extends Context.Tag("loom/retrieval/SearchIndex")<SearchIndex, {
  /**
   * The rows closest to the vector by value or, damped, by key; closest first. Every row of the filter's slice is looked
   * at; of a slice with more than some hundred rows the answer holds at least 95 of a hundred that it should. The words
   * are counted where rows are found, and choose none.
   */
  readonly vector: (
    scope: Scope,
    filter: SearchFilter,
    query: QueryVector,
    terms: ReadonlyArray<TermGroup>,
    limit: number
  ) => Effect.Effect<Answer<VectorHit>, StoreError>
  /** The rows whose text holds the question's words, best BM25 first. */
  readonly lexical: (
    scope: Scope,
    filter: SearchFilter,
    terms: ReadonlyArray<TermGroup>,
    limit: number
  ) => Effect.Effect<WordAnswer<WordHit>, StoreError>
  /** The passages of long values that hold the question's words, best BM25 first, one for each memory. */
  readonly chunks: (
    scope: Scope,
    filter: SearchFilter,
    terms: ReadonlyArray<TermGroup>,
    limit: number
  ) => Effect.Effect<WordAnswer<PassageHit>, StoreError>
  /**
   * Which of these names, in canonical form, some memory of the caller's slice has or once had as an entity: a cheap look,
   * to be followed by `entityRows`. Names of very many memories are left out. An entity new to a namespace that had none
   * at all may be missed for a second.
   */
  readonly knownEntities: (
    scope: Scope,
    filter: SearchFilter,
    names: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, StoreError>
  /** How many memories that may be found name each of these entities; those that none names are left out. */
  readonly entityRows: (
    scope: Scope,
    filter: SearchFilter,
    entities: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, number>, StoreError>
  /** How many memories may be found, counted up to `most`. */
  readonly servedRows: (scope: Scope, filter: SearchFilter, most: number) => Effect.Effect<number, StoreError>
  /** The memories that name one of the weighted entities, those with the best share first, later ones before earlier. */
  readonly naming: (
    scope: Scope,
    filter: SearchFilter,
    weights: EntityWeights,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Head>, StoreError>
  /** The memories of these ids that may be found, in any order. */
  readonly byIds: (
    scope: Scope,
    filter: SearchFilter,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Head>, StoreError>
  /**
   * How many memories that may be found have no vector of this embedder yet, so that only their words find them: after a
   * change of embedder, until they are embedded anew. Some seconds old where it is not 0.
   */
  readonly pending: (scope: Scope, filter: SearchFilter, embedderId: string) => Effect.Effect<number, StoreError>
  /**
   * What was derived from the contents at these places: one reading for all that the legs did not say, and the excerpts. A
   * place that is gone is left out.
   */
  readonly derived: (
    scope: Scope,
    places: ReadonlyArray<Place>,
    query: QueryVector | null,
    terms: ReadonlyArray<TermGroup>
  ) => Effect.Effect<PlaceMap<DerivedText>, StoreError>
  /** The passages of the values at these places that hold most of the question's words; of a value some thousand words. */
  readonly passages: (
    scope: Scope,
    places: ReadonlyArray<Place>,
    terms: ReadonlyArray<TermGroup>
  ) => Effect.Effect<PlaceMap<ReadonlyArray<{ readonly start: number; readonly text: string }>>, StoreError>
}>() {}

/** What a closeness to the key counts against one to the value: a key names the subject, it does not state the fact. */
export const KEY_DAMPING = 0.8

/** The closeness of a row: that of its value, or of its key, damped. */
export const closeness = ({ key, value }: Cosines): number => Math.max(value, KEY_DAMPING * key)
