/**
 * The table of memory types: whether a type is embedded (and so judged against peers and found by search) and whether
 * an unfiltered search serves it. Any name not listed is a domain type and searchable.
 */

/** How one memory type is stored and found. */
export interface TypeFacts {
  readonly embedded: boolean
  readonly inUnfilteredSearch: boolean
}

const table: Record<string, TypeFacts> = {
  reflection: { embedded: true, inUnfilteredSearch: false },
  episodic: { embedded: false, inUnfilteredSearch: false },
  profile: { embedded: false, inUnfilteredSearch: false }
}

const searchable: TypeFacts = { embedded: true, inUnfilteredSearch: true }

export const DEFAULT_TYPE = "semantic"

export const typeFacts = (memoryType: string): TypeFacts =>
  Object.hasOwn(table, memoryType) ? table[memoryType] ?? searchable : searchable

/** Types that an unfiltered search leaves out. */
export const HIDDEN_TYPES: ReadonlyArray<string> = Object.keys(table).filter((name) =>
  table[name]?.inUnfilteredSearch === false
)
