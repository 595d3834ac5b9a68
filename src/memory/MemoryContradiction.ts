/**
 * Contradictions that come or go without a new value, pure: by a person's decision or by a second look. Always on both
 * sides, so that no row names another that does not name it back.
 */
import type { Transition } from "./MemoryCommand.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isSettled } from "./MemoryWriting.ts"
import type { Ground, Writing } from "./MemoryWriting.ts"

/** The row names the other, and the other names it back. */
export const flagged = (
  writing: Writing,
  row: MemoryRow,
  other: MemoryRow,
  { reason, rule }: Extract<Transition, { readonly _tag: "flag" }>
): MemoryRow => {
  const peerOf = (peer: MemoryRow) => ({ row: peer, similarity: 1, verdict: "conflict", rule, reason }) as const
  writing.flag(other, [peerOf(row)])
  writing.flag(row, [peerOf(other)])
  return writing.current(row)
}

/** The contradictions between a row and others are taken away, on both sides. */
export const reconciled = (
  writing: Writing,
  row: MemoryRow,
  others: ReadonlyArray<string>,
  why: Pick<Ground, "rule" | "evidence">
): MemoryRow => {
  const ground: Ground = { ...why, by: row.memory_id }
  const left = row.conflict_with.filter((id) => !others.includes(id))
  const next = writing.change(row, "unflag", { ...ground, by: others[0] ?? null }, {
    conflict_with: left,
    ...(isSettled(row, left) ? { status: "active" } : {})
  })
  const still = writing.planning.view.contradicting(row.memory_id)
    .filter(({ memory_id }) => !others.includes(memory_id))
    .map(({ memory_id }) => memory_id)
  writing.unlink(next, still, ground)
  return next
}
