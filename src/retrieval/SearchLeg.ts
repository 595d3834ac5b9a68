/**
 * A leg: one way to find memories, with nothing said about the others. `Search` runs the legs side by side and gives each
 * its own time; a leg that fails or is late is named in the answer and the rest go on. A new leg is one file with a `make`
 * like those of `VectorLeg`, `LexicalLeg` and `ChunkLeg`.
 */
import type * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Corpus, TermCounts } from "../platform/Bm25.ts"
import type { EmbedError } from "../platform/Embedder.ts"
import type { DerivedText, PlaceMap, QueryVector } from "./SearchIndex.ts"
import type { Cosines, EntityWeights, Head, HiddenHead, LegName, Passage, Question } from "./SearchModel.ts"

export interface LegHit {
  readonly head: Head
  /** On the leg's own scale: a cosine, or the share of `Bm25`, of `EntityGraph` or of `DigestShare`. */
  readonly score: number
  readonly cosines?: Cosines
  /** Counts in the excerpt, or in the passage when there is one. */
  readonly terms?: TermCounts
  /** The part of a long value that was found. */
  readonly passage?: Passage
  /** The digest that led to it. */
  readonly digest?: string
}

export interface LegAnswer {
  /** Best first. */
  readonly hits: ReadonlyArray<LegHit>
  /** What the leg learned that the ranking of other legs' hits needs too. */
  readonly query: QueryVector | null
  readonly corpus: Corpus | null
  readonly entities?: EntityWeights
  /** Memories it looked at that would be served but for their state. */
  readonly passed?: ReadonlyArray<HiddenHead>
  /** What it read beside the places of its hits and of what it passed by. */
  readonly read?: PlaceMap<DerivedText>
}

/** The answer of a leg that has nothing to look for. */
export const nothing: LegAnswer = { hits: [], query: null, corpus: null }

export interface Leg {
  readonly name: LegName
  readonly find: (question: Question) => Effect.Effect<LegAnswer, StoreError | EmbedError>
}
