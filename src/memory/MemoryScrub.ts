/**
 * What a version keeps when its value is scrubbed, pure: hashes, audit columns, times and names of writers stay, so that
 * the chain still verifies and the history still tells that something was there; the value and what restates it go, here
 * and wherever a reason quotes it.
 */
import type { MemoryRow } from "./MemoryModel.ts"
import { isAbout, withoutQuotes } from "./QuotedReasons.ts"

/** Columns that hold a value, or were drawn from it. */
export const scrubbedContent = {
  value: "",
  value_kind: "redacted",
  entities: [],
  relations: "[]"
} as const satisfies Partial<MemoryRow>

const everything = () => true

/** A version of the history without its value. An answer kept for a retry stays one, without its reasons. */
export const scrubbedVersion = (row: MemoryRow): MemoryRow => ({
  ...row,
  ...scrubbedContent,
  answer: withoutQuotes(row.answer, everything),
  cause: withoutQuotes(row.cause, everything)
})

type Named = Pick<MemoryRow, "memory_id" | "memory_key">

/** An answer or a cause that quotes nothing of a memory any more. */
export const quotingNothing = (text: string, of: Named): string => withoutQuotes(text, isAbout([of]))

/** A version, of any memory, that quotes nothing of another any more; the row itself when it quoted nothing. */
export const withoutQuotesOf = (row: MemoryRow, of: Named): MemoryRow => {
  const answer = quotingNothing(row.answer, of)
  const cause = quotingNothing(row.cause, of)
  return answer === row.answer && cause === row.cause ? row : { ...row, answer, cause }
}

type Past = Pick<MemoryRow, "content_sha256" | "version" | "write_id">

/** When a value could be quoted: from the first version that held it to the one that replaced it last, both included. */
export interface Quotable {
  readonly from: bigint
  /** Null when no other value came after it. */
  readonly to: bigint | null
  /** The writes that held it: an answer stands on the first row of its write, which may come before. */
  readonly writes: ReadonlySet<string>
}

/** Undefined when none of a memory's versions (in any order) held the value. */
export const quotable = (versions: ReadonlyArray<Past>, sha256: string): Quotable | undefined => {
  const past = versions.toSorted((left, right) => left.version < right.version ? -1 : 1)
  const isHeld = ({ content_sha256 }: Past) => content_sha256 === sha256
  const first = past.find(isHeld)
  return first === undefined ? undefined : {
    from: first.version,
    to: past[past.findLastIndex(isHeld) + 1]?.version ?? null,
    writes: new Set(past.filter(isHeld).map(({ write_id }) => write_id))
  }
}

/** Whether something written then may quote the value. */
export const mayQuote = (
  { from, to, writes }: Quotable,
  { version, write_id }: Pick<MemoryRow, "version" | "write_id">
): boolean => writes.has(write_id) || (version >= from && (to === null || version <= to))
