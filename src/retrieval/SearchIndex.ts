/**
 * The port to whatever finds memories by meaning and by word. Every method takes the scope and the filter and applies
 * both before it ranks, so a row outside them moves nothing: no hit, no order, no count. A row is answered only while
 * the served head of its memory has the content it was derived from.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type {
  Corpus,
  Cosines,
  EntityWeights,
  Head,
  HiddenHead,
  Passage,
  Place,
  SearchFilter,
  TermCounts
} from "./SearchModel.ts"
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

/** What stands at a place; without cosines when its vector is not of the question's embedder or there is none. */
export interface DerivedText {
  readonly cosines: Cosines | undefined
  readonly terms: TermCounts
  readonly excerpt: string
}

export interface Answer<Hit> {
  readonly hits: ReadonlyArray<Hit>
  /** Memories that were looked at beside those of the hits and would be served but for their state. */
  readonly passed: ReadonlyArray<HiddenHead>
}

export interface WordAnswer<Hit> extends Answer<Hit> {
  readonly corpus: Corpus
}

export class SearchIndex extends Context.Tag("loom/retrieval/SearchIndex")<SearchIndex, {
  /**
   * The rows closest to the vector by value or, damped, by key; closest first. Every row of the filter's slice is looked
   * at; of a slice with more than some hundred rows the answer holds at least 95 of a hundred that it should.
   */
  readonly vector: (
    scope: Scope,
    filter: SearchFilter,
    query: QueryVector,
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
  /** The texts of passages; one that is gone is left out. */
  readonly passages: (
    scope: Scope,
    passages: ReadonlyArray<{ readonly place: Place; readonly passage: Passage }>
  ) => Effect.Effect<PlaceMap<string>, StoreError>
}>() {}

/** What a closeness to the key counts against one to the value: a key names the subject, it does not state the fact. */
export const KEY_DAMPING = 0.8

/** The closeness of a row: that of its value, or of its key, damped. */
export const closeness = ({ key, value }: Cosines): number => Math.max(value, KEY_DAMPING * key)
