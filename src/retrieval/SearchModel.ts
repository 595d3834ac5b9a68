/**
 * The nouns of a search: what is asked (`Question`), which rows may answer (`SearchFilter`), what a leg finds
 * (`LegHit`), and the memory it is found for (`Head`). Next: `SearchIndex` (how rows are found) and `Fusion` (how
 * they are ordered).
 */
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { Instant } from "../memory/InstantModel.ts"
import type { MemoryRow, Sensitivity, SourceClass, Status } from "../memory/MemoryModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** The ways to find a memory; each runs beside the others and may fail alone. */
export const LEGS = ["vector", "lexical", "chunks", "entities", "digests"] as const
export type LegName = typeof LEGS[number]

/**
 * Which rows may answer, beside the scope. Null and the empty list are no filter. A row must be served (one of
 * `statuses`, not ended at `now`, not of high sensitivity) whatever else is asked.
 */
export interface SearchFilter {
  readonly agent: string | null
  readonly user_id: string | null
  readonly session_ids: ReadonlyArray<string>
  readonly run_id: string | null
  /** Null leaves out the types that an unfiltered search hides. */
  readonly memory_type: string | null
  /** Any of these, exactly. */
  readonly tags: ReadonlyArray<string>
  /** All of these, exactly. */
  readonly tags_every: ReadonlyArray<string>
  /** None of these, exactly; a row without tags passes. */
  readonly tags_none: ReadonlyArray<string>
  /** All of these, in canonical form. */
  readonly entities: ReadonlyArray<string>
  readonly exclude_keys: ReadonlyArray<string>
  readonly statuses: ReadonlyArray<Status>
  /** Milliseconds since 1970: created at or after, and before. */
  readonly created_after: number | null
  readonly created_before: number | null
  readonly confidence_gte: number | null
  /** Whether `external` rows that nobody vouched for as they are may answer; they may unless this says false. */
  readonly unverifiedExternal?: boolean | undefined
  /** The time at which rows must be served, in milliseconds since 1970. */
  readonly now: number
  /** Whatever answers at an instant is searched in place of what is served. */
  readonly asOf?: Instant | undefined
  /** What served memories said before is searched in place of what they say; see `EarlierClickhouse`. */
  readonly earlier?: boolean | undefined
}

/** Whether versions answer in place of heads. */
export const isOfPast = ({ asOf, earlier }: Pick<SearchFilter, "asOf" | "earlier">): boolean =>
  asOf !== undefined || earlier === true

/** One content of one memory: the place of the row within its scope, and the hash that a served head must still have. */
export interface Place extends Writer {
  readonly memory_key: string
  readonly content_sha256: string
}

/** One string for a place; the separator is refused in names. */
export const placeKey = (place: Place): string =>
  `${place.agent}\u0000${place.user_id}\u0000${place.session_id}\u0000${place.memory_key}\u0000${place.content_sha256}`

export interface Question {
  readonly scope: Scope
  readonly filter: SearchFilter
  readonly text: string
  readonly terms: ReadonlyArray<TermGroup>
  /** How many hits each leg brings at most. */
  readonly depth: number
}

/**
 * What holding an entity is worth, 0 to 1, by canonical name: of those the question names, how telling each is; of those
 * that stand beside them, the whole worth of holding one. See `EntityGraph`.
 */
export interface EntityWeights {
  readonly named: ReadonlyMap<string, number>
  readonly beside: ReadonlyMap<string, number>
}

/** Cosines with the question. */
export interface Cosines {
  readonly value: number
  readonly key: number
}

/** A part of a long value: UTF-16 offsets [start, end) in the value's text, and its words. */
export interface Passage {
  readonly chunk_index: number
  readonly start: number
  readonly end: number
}

/** How often a memory was relied on with a good and with a bad outcome, and when last, in milliseconds since 1970. */
export interface Usage {
  readonly credit: number
  readonly harm: number
  readonly last_at: number
}

/** What the ranking and the answer need of a served memory. */
export interface Head extends Place {
  readonly memory_id: string
  readonly memory_type: string
  readonly tags: ReadonlyArray<string>
  readonly entities: ReadonlyArray<string>
  readonly status: Status
  readonly pinned: boolean
  readonly version: bigint
  readonly created_at: number
  readonly valid_at: number | null
  readonly source_class: SourceClass
  readonly confidence: number
  readonly canonical_sha256: string
  /** The memory that answers for this one when it is a duplicate; else empty. */
  readonly duplicate_of: string
  readonly verified_kind: MemoryRow["verified_kind"]
  /** The hash that was attested; the row is verified while it is the content's. */
  readonly verified_sha256: string
  readonly updated_at: number
  /** When the row was retired, and by which memory; null and empty while it was not. */
  readonly invalid_at: number | null
  readonly superseded_by: string
  /** The date the fact is about, as far as an extraction said. */
  readonly temporal_anchor: number | null
  readonly temporal_confidence: number | null
  readonly source_resource_id: string
  readonly reinforcement_count: number
  readonly sensitivity: Sensitivity
  /** Absent while nobody counts. */
  readonly usage?: Usage
}

/** A memory that is there and not served. */
export interface HiddenHead extends Head {
  /** Whether its time is over. */
  readonly ended: boolean
}
