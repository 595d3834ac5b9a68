/**
 * What a rollback means for one head, pure: whether it stands otherwise than it did, and what would become of it.
 */
import type { StoredVersion } from "./MemoryCommand.ts"
import { isLive, isRedacted, isServed } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** What writes leave on a version and no state of the memory is. */
const stamps: ReadonlySet<string> = new Set<keyof MemoryRow>([
  "version",
  "updated_at",
  "actor",
  "write_id",
  "idem_hash",
  "payload_hash",
  "answer",
  "change",
  "cause",
  "epoch",
  "seq",
  "audit_prev",
  "audit_hash"
])

const stateOf = (row: MemoryRow): string =>
  JSON.stringify(Object.entries(row).filter(([name]) => !stamps.has(name)).sort())

export interface Step {
  readonly head: MemoryRow
  /** The version it goes back to; null takes out of service what was not there. */
  readonly to: StoredVersion | null
  readonly outcome: "unchanged" | "changed" | "redacted"
  readonly revalued: boolean
  readonly back: boolean
  readonly out: boolean
  /** It was not labelled high then and is now: a label hides the earlier values too, so it stays. */
  readonly keptHigh: boolean
}

/** Rows that do not go back, by id, as they stand. */
export type Left = ReadonlyMap<string, MemoryRow>

/** Whether a version names others that must go back with it. */
export const isLinked = (to: Pick<MemoryRow, "conflict_with" | "status"> | null): boolean =>
  to !== null && (to.conflict_with.length > 0 || to.status === "duplicate")

/** A version without links to rows that do not go back: what contradicted one of them stands alone, what waited serves. */
const unlinked = (to: MemoryRow, left: Left): MemoryRow => {
  const conflict_with = to.conflict_with.filter((id) =>
    !left.has(id) || left.get(id)?.conflict_with.includes(to.memory_id) === true
  )
  const waits = to.status === "duplicate" && left.has(to.duplicate_of)
  const stands = waits || (to.status === "conflicted" && conflict_with.length === 0)
  return {
    ...to,
    conflict_with,
    ...(stands ? { status: "active", duplicate_of: "" } : {})
  }
}

export const stepOf = (head: MemoryRow, before: MemoryRow | undefined, now: number, left: Left): Step => {
  const then = before === undefined || left.size === 0 || !isLinked(before) ? before : unlinked(before, left)
  const keptHigh = head.sensitivity === "high" && then !== undefined && then.sensitivity !== "high"
  const to: MemoryRow | undefined = keptHigh ? { ...then, sensitivity: "high", canonical_sha256: "" } : then
  const served = isServed(head, now)
  const wouldServe = to !== undefined && isServed(to, now)
  const unchanged = to === undefined ? head.status === "tombstoned" : stateOf(head) === stateOf(to)
  const outcome = unchanged
    ? "unchanged"
    : to !== undefined && isRedacted(to) && isLive(to, now)
    ? "redacted"
    : "changed"
  return {
    head,
    to: to ?? null,
    outcome,
    revalued: to !== undefined && to.content_sha256 !== head.content_sha256,
    back: !served && wouldServe,
    out: served && !wouldServe,
    keptHigh
  }
}
