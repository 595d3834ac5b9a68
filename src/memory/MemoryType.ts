/**
 * The table of memory types: whether a type is embedded (and so judged against peers and found by search) and whether
 * an unfiltered search serves it. Any name not listed is a domain type and searchable. A row stored under another type than
 * it was asked to be says so in a tag.
 */

/** How one memory type is stored and found. */
export interface TypeFacts {
  readonly embedded: boolean
  readonly inUnfilteredSearch: boolean
}

const searchable: TypeFacts = { embedded: true, inUnfilteredSearch: true }

const table: Record<string, TypeFacts> = {
  semantic: searchable,
  preference: searchable,
  procedural: searchable,
  reflection: { embedded: true, inUnfilteredSearch: false },
  episodic: { embedded: false, inUnfilteredSearch: false },
  profile: { embedded: false, inUnfilteredSearch: false }
}

export const DEFAULT_TYPE = "semantic"
export const PROCEDURAL_TYPE = "procedural"

export const typeFacts = (memoryType: string): TypeFacts =>
  Object.hasOwn(table, memoryType) ? table[memoryType] ?? searchable : searchable

/** Types that an unfiltered search leaves out. */
export const HIDDEN_TYPES: ReadonlyArray<string> = Object.keys(table).filter((name) =>
  table[name]?.inUnfilteredSearch === false
)

const retypedTag = (retyped_from: string): string => `retyped_from:${retyped_from}`

/** The marks of a row: type and tags. */
interface Marks {
  readonly memory_type: string
  readonly retyped_from: string
  readonly tags: ReadonlyArray<string>
}

/**
 * The marks a row is stored with: a retyped one keeps the type it was given and carries the tag, beside all that its writer
 * stated (so it may hold one tag more than a request can); one that is retyped no more loses the tag.
 */
export const marked = (
  { memory_type, retyped_from, tags }: Marks,
  before?: Marks
): Pick<Marks, "memory_type" | "tags"> => {
  const tag = retyped_from === "" ? "" : retypedTag(retyped_from)
  const old = before === undefined || before.retyped_from === "" ? "" : retypedTag(before.retyped_from)
  return tag === old && (tag === "" || tags.includes(tag))
    ? { memory_type: settled(memory_type, retyped_from), tags }
    : {
      memory_type: settled(memory_type, retyped_from),
      tags: [...(tag === "" ? [] : [tag]), ...tags.filter((one) => one !== tag && one !== old)]
    }
}

// What a statement still calls by the name that the value did not fit.
const settled = (memory_type: string, retyped_from: string): string =>
  retyped_from !== "" && memory_type === retyped_from ? DEFAULT_TYPE : memory_type

/** Whether a row has vectors and words, by which search and peers find it. */
export const isSearchable = (row: { readonly memory_type: string; readonly sensitivity: string }): boolean =>
  row.sensitivity !== "high" && typeFacts(row.memory_type).embedded
