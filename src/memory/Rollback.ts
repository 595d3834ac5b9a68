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

export const stepOf = (head: MemoryRow, then: MemoryRow | undefined, now: number): Step => {
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
