/**
 * The nouns of an answer: a memory that may be told from (`Evidence`), one sentence of it (`Sentence`), and a part of a
 * value that is quoted (`Quote`). Offsets are UTF-16 units in the value's text, [start, end), so every quote can be found
 * where it was taken from.
 */
import type { Head } from "../retrieval/SearchModel.ts"

/** What the store holds of a memory beside its head. */
export interface EvidenceText {
  /** The value's text, or the part of a long one that was found. */
  readonly text: string
  /** Where that part begins in the value's text. */
  readonly offset: number
  /** memory_ids of the memories it contradicts. */
  readonly conflict_with: ReadonlyArray<string>
}

/** One memory that was found, is relevant enough, and may be told. */
export interface Evidence extends EvidenceText {
  readonly head: Head
  /** 0 to 1, as the search told it. */
  readonly relevance: number
}

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Sentence extends Span {
  readonly evidence: Evidence
  readonly text: string
  /** The how-manieth of its evidence, from 0. */
  readonly index: number
}

/** A verbatim part of one memory. */
export interface Quote extends Span {
  readonly evidence: Evidence
  readonly text: string
}
