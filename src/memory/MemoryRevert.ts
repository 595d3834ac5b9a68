/** A head that goes back to an earlier version of itself, as namespace.rollback asks it of every head. Pure. */
import * as Either from "effect/Either"
import { blacklisted } from "../blacklist/BlacklistModel.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive, isOut, isRedacted } from "./MemoryModel.ts"
import type { Ground, Writing } from "./MemoryWriting.ts"

/** Links included: everything in the namespace goes back together. Null when the row is as it was already. */
export const reverted = (
  writing: Writing,
  row: MemoryRow,
  to: MemoryRow | null
): Either.Either<MemoryRow | null, Refusal> => {
  const ground: Ground = {
    rule: "namespace.rollback",
    by: null,
    evidence: to === null ? "it was not there" : "as it was"
  }
  if (to === null) {
    return row.status === "tombstoned"
      ? Either.right(null)
      : Either.right(writing.change(row, "rollback", ground, {
        status: "tombstoned",
        tombstoned_at: writing.now,
        conflict_with: [],
        duplicate_of: ""
      }))
  }
  if (to.memory_id !== row.memory_id) {
    return Either.left(refuse("STALE_VERSION", "The version belongs to another memory", { memory_key: row.memory_key }))
  }
  if (isRedacted(to) && isLive(to, writing.now)) {
    return Either.left(
      refuse("INVALID_ARGUMENT", "The value of that version was redacted: it cannot serve again", {
        memory_key: row.memory_key
      })
    )
  }
  const { value, value_kind } = to
  if (value_kind !== "redacted" && !isOut(to.status)) {
    const hit = writing.planning.blacklisted({ value, value_kind })
    if (hit !== undefined) return Either.left(blacklisted(hit))
  }
  // A label once set stays: going back does not tell what was hidden since.
  const label = row.sensitivity === "high" ? { sensitivity: "high", canonical_sha256: "" } as const : {}
  return Either.right(writing.change({ ...to, version: row.version }, "rollback", ground, label))
}
