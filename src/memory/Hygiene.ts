/**
 * What is wrong with how a namespace is kept, told from one row at a time, pure: keys that hide a revision, values that
 * hold several facts, rows that wait or point nowhere. Values are looked at and never shown.
 */
import type { MemoryRow } from "./MemoryModel.ts"
import { isEnded, isServed, LIVE_STATUSES, valueOf } from "./MemoryModel.ts"

/** One kind of finding: what it is, and what to do next. */
export interface FindingKind {
  readonly name: string
  /** `error` where the store answers less or other than was written; `warning` where a habit makes it worse. */
  readonly severity: "error" | "warning"
  readonly what: string
  readonly next: string
}

const kind = (name: string, severity: FindingKind["severity"], what: string, next: string): FindingKind => ({
  name,
  severity,
  what,
  next
})

export const findingKinds = {
  hash_keys: kind(
    "hash_keys",
    "warning",
    "The key looks made from a hash or a random id, so a revision gets a key of its own.",
    "Name the attribute of the subject (`<scope>/<kind>/<id>`) and write the value there; delete the old key."
  ),
  numbered_copies: kind(
    "numbered_copies",
    "warning",
    "The key is a numbered or named copy beside its sibling; the revision hides there.",
    "Write the value that holds under the sibling's key (memory.set) and delete the copy: every version is kept anyway."
  ),
  list_values: kind(
    "list_values",
    "warning",
    "The value is a list of facts, which cannot be revised one by one.",
    "Write each fact under a key of its own (memory.bulk_set), then delete this one."
  ),
  near_empty_keys: kind(
    "near_empty_keys",
    "warning",
    "The key is a single segment and says of no subject what it is about.",
    "Use `<scope>/<kind>/<id>`."
  ),
  stale_conflicts: kind(
    "stale_conflicts",
    "warning",
    "The contradiction has waited for a decision.",
    "conflicts.list shows both sides; decide with conflicts.resolve."
  ),
  duplicates_waiting: kind(
    "duplicates_waiting",
    "warning",
    "The row says what another answers for.",
    "Delete it (memory.delete), or leave it: it comes back when the other goes."
  ),
  expired_rows: kind(
    "expired_rows",
    "warning",
    "Its expiry or validity has ended; no read serves it.",
    "memory.touch gives it a new expiry; memory.delete ends it."
  ),
  dangling_links: kind(
    "dangling_links",
    "error",
    "It names a row that is not there, or that does not name it back.",
    "Look at it with memory.inspect, and delete or rewrite it; namespace.rollback goes back to before."
  ),
  unverified_external: kind(
    "unverified_external",
    "warning",
    "Outside content that nobody ever attested; answers leave it out.",
    "Attest what holds with memory.verify, and delete the rest."
  ),
  low_confidence: kind(
    "low_confidence",
    "warning",
    "Its confidence lies below the floor.",
    "Confirm it with memory.update (confidence), or delete it."
  ),
  not_embedded: kind(
    "not_embedded",
    "error",
    "It has no vector of the embedder in use, so no search finds it by meaning.",
    "Restart the server, which embeds what is missing, or write the value again."
  ),
  unknown_keys: kind(
    "unknown_keys",
    "error",
    "No served memory has the key.",
    "memory.history tells what became of it; memory.set writes it."
  )
} as const satisfies Record<string, FindingKind>

export type FindingName = keyof typeof findingKinds

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
// Twelve hex digits, some of them letters and some not: shorter runs are dates, numbers and words.
const HEX = /(?:^|[-_.:])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}(?=$|[-_.:])/i
// Digests and ids in other alphabets: long, of upper and lower case and digits together, without a separator.
const TOKEN = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+=]{20,}$/

export const isHashKey = (key: string): boolean =>
  key.split("/").some((segment) => UUID.test(segment) || HEX.test(segment) || TOKEN.test(segment))

const COPY = /^(.*[^-_. ])(?:[-_. ]+(?:v\d{1,4}|\d{1,3}|final|copy|new|old|draft|bak|backup)|[-_. ]*\(\d{1,3}\))$/i

/** The key that this one looks like a copy of; undefined when it does not. */
export const originalOf = (key: string): string | undefined => {
  let original = key
  // `plan-final-v2` is a copy of `plan` as much as `plan-v2` is.
  for (let match = COPY.exec(original); match !== null; match = COPY.exec(original)) original = match[1] ?? ""
  return original === key || original.endsWith("/") || original === "" ? undefined : original
}

/** Whether only a number tells the copy: that makes one beside its original, but not of `sprint-1` and `sprint-2`. */
export const isPlainNumber = (key: string): boolean => /[-_. ]\d{1,3}$/.test(key)

// Three of anything are a list; two may be one fact in two parts.
const LISTED = 3
const BULLET = /^\s*(?:[-*•‣–]|\d{1,3}[.)])\s+\S/

export const isListValue = (row: Pick<MemoryRow, "value" | "value_kind">): boolean => {
  const value = valueOf(row)
  if (Array.isArray(value)) return value.length >= LISTED
  if (typeof value !== "string") return false
  const lines = value.split("\n")
  const clauses = value.split(/;\s+/)
  return lines.filter((line) => BULLET.test(line)).length >= LISTED ||
    (clauses.length >= LISTED && clauses.every((clause) => clause.trim().split(/\s+/).length >= LISTED))
}

/** The findings that a row shows by itself. Rows out of service are nobody's habit any more. */
export const findingsOf = (row: MemoryRow, now: number): ReadonlyArray<FindingName> => {
  const found: Array<FindingName> = []
  if (!LIVE_STATUSES.some((status) => status === row.status)) return found
  if (isEnded(row, now)) return ["expired_rows"]
  if (row.status === "duplicate") found.push("duplicates_waiting")
  if (isHashKey(row.memory_key)) found.push("hash_keys")
  if (!row.memory_key.includes("/")) found.push("near_empty_keys")
  if (isListValue(row)) found.push("list_values")
  if (row.source_class === "external" && row.verified_kind === "" && isServed(row, now)) {
    found.push("unverified_external")
  }
  return found
}

/** The rows that a row names, and that must be there for it. */
export const linksOf = (row: MemoryRow): ReadonlyArray<string> =>
  [...row.conflict_with, row.duplicate_of, row.superseded_by].filter((id) => id !== "")
