/**
 * How a stored row stands once its claim was judged again, pure, and the judging of a row whose value stays while its type or
 * sensitivity makes it comparable to other rows than before: it meets them like a claim that comes back, and retires none.
 */
import * as Either from "effect/Either"
import type { Refusal } from "../kernel/LoomError.ts"
import type { WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { carried } from "./MemoryDraft.ts"
import { judgeClaim } from "./MemoryJudging.ts"
import type { Change, MemoryRow, Status } from "./MemoryModel.ts"
import { isSearchable } from "./MemoryType.ts"
import { Writing } from "./MemoryWriting.ts"
import type { Planning } from "./MemoryWriting.ts"
import type { Decision } from "./WritePolicy.ts"

/** How a row stands after a new value under it was judged. */
export const standing = (row: Pick<MemoryRow, "status">, decision: Decision, now: number): Partial<MemoryRow> => {
  const links: Partial<MemoryRow> = { duplicate_of: "", superseded_by: "", invalid_at: null, conflict_with: [] }
  const back: Status = row.status === "proposed" ? "proposed" : "active"
  switch (decision._tag) {
    case "Merge":
    case "Duplicate": {
      const { memory_id } = decision._tag === "Merge" ? decision.into : decision.of
      return back === "proposed"
        ? { ...links, status: back }
        : { ...links, status: "duplicate", duplicate_of: memory_id }
    }
    case "Backfill":
      return { ...links, status: "superseded", superseded_by: decision.by.memory_id, invalid_at: now }
    case "Insert":
      return {
        ...links,
        status: decision.conflicts.length > 0 && back === "active" ? "conflicted" : back,
        conflict_with: decision.conflicts.map((peer) => peer.row.memory_id)
      }
    default:
      return { ...links, status: back }
  }
}

/** Whether the same value, so prepared, is compared with other rows than the stored one was. */
export const isRecast = (row: MemoryRow, content: Content): boolean =>
  content.memory_type !== row.memory_type || (isSearchable(content) && !isSearchable(row))

interface Recast {
  readonly content: Content
  readonly columns: Partial<MemoryRow>
  readonly change: Change
}

interface Recasted {
  /** Undefined where the row is compared with nothing any more. */
  readonly decision: Decision | undefined
  readonly next: MemoryRow
  readonly writing: Writing
}

/** Links are those of the type and label that the row has now. */
export const recast = (
  planning: Planning,
  meta: WriteMeta,
  row: MemoryRow,
  { change, columns, content }: Recast
): Either.Either<Recasted, Refusal> => {
  const after = { ...row, ...columns }
  const drawn = (decision: Decision | undefined): Recasted => {
    const writing = new Writing(planning, meta)
    const next = writing.add((moment) =>
      carried(row, meta, moment, change, {
        ...columns,
        ...standing(row, decision ?? { _tag: "Restate", peers: [], retires: [] }, moment.now)
      })
    )
    writing.derive(next, content)
    const ground = { rule: "claim.recast", by: row.memory_id, evidence: "its type or label changed" }
    writing.unlink(next, next.conflict_with, ground)
    if (row.memory_type !== next.memory_type || next.status === "duplicate") {
      writing.releaseDuplicates(next, ground, null)
    }
    if (decision?._tag === "Insert" && next.status !== "proposed") writing.flag(next, decision.conflicts)
    if (next.sensitivity === "high" && row.sensitivity !== "high") writing.hideDuplicates(next)
    return { decision, next, writing }
  }
  if (!isSearchable(content)) return Either.right(drawn(undefined))
  return Either.map(
    judgeClaim(planning, {
      writer: row,
      own: undefined,
      content,
      tags: after.tags,
      run_id: after.run_id,
      mayReplacePinned: true,
      pins: after.pinned,
      proposed: row.status === "proposed",
      revives: true,
      // Whoever labels a row vouches for no more than the label: the claim itself was let in before.
      source_class: "asserted",
      valid_at: after.valid_at,
      expires_at: after.expires_at,
      valid_to: after.valid_to,
      if_match_sha256: null,
      byContent: false,
      states: false
    }),
    ({ decision }) => drawn(decision)
  )
}
