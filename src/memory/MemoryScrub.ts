/**
 * What a version keeps when its value is scrubbed, pure: hashes, audit columns, times and names of writers stay, so that
 * the chain still verifies and the history still tells that something was there; the value and what restates it go.
 */
import type { MemoryRow } from "./MemoryModel.ts"

/** Columns that hold a value, or were drawn from it. */
export const scrubbedContent = {
  value: "",
  value_kind: "redacted",
  entities: [],
  relations: "[]"
} as const satisfies Partial<MemoryRow>

// Fields of kept answers and causes that explain a verdict, and so may quote the words that differed.
const quoting = new Set(["reason", "evidence", "next", "advisories"])

const withoutQuotes = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(withoutQuotes)
  if (typeof part !== "object" || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [
      name,
      !quoting.has(name) || inner === null ? withoutQuotes(inner) : Array.isArray(inner) ? [] : "redacted"
    ])
  )
}

/** A JSON column without the texts that may quote a value; what is no JSON goes whole. */
const unquoted = (column: string): string => {
  if (column === "") return ""
  try {
    return JSON.stringify(withoutQuotes(JSON.parse(column)))
  } catch {
    return ""
  }
}

/** A version of the history without its value. An answer kept for a retry stays one, without its reasons. */
export const scrubbedVersion = (row: MemoryRow): MemoryRow => ({
  ...row,
  ...scrubbedContent,
  answer: unquoted(row.answer),
  cause: unquoted(row.cause)
})
