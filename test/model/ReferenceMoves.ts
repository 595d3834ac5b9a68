/**
 * What the kinds of memory.transition must come to, and namespace.rollback, which is one of them for every head.
 */
import { isDeepStrictEqual } from "node:util"
import { labelOf, placeOf } from "./ModelSteps.ts"
import type { MovePart } from "./ModelSteps.ts"
import type { Doing } from "./ReferenceDoing.ts"
import { none, refused } from "./ReferenceOutcome.ts"
import type { Outcome } from "./ReferenceOutcome.ts"
import { isExpired, isLive, isLocked } from "./ReferenceRow.ts"
import type { ReferenceRow, Rows } from "./ReferenceRow.ts"
import { comeBack, update, verdictOf } from "./ReferenceVerbs.ts"

export const move = (doing: Doing, { expected, move, slot }: MovePart): Outcome => {
  const row = doing.world.get(labelOf(placeOf(slot)))
  if (row === undefined || !isAbout(row, move)) return none("not_found")
  // What the same write did to a row is no surprise to it.
  if (expected === "other" && doing.isUntouched(row)) return refused("STALE_VERSION")
  const { label } = row
  const locked = isLocked(row, doing.now)
  const readOnly = locked && row.lock === "read_only"
  const columns = (changed: Partial<ReferenceRow>): Outcome => {
    doing.world.change(label, changed)
    return doing.told(label, { verdicts: [verdictOf(row)] })
  }
  switch (move.kind) {
    case "tombstone":
      if (locked) return refused("LOCKED")
      doing.world.remove(label, move.change === "expire", doing.sighted)
      return doing.told(label, { verdicts: ["clear"] })
    case "reject":
      if (row.status === "rejected") return none("unchanged")
      if (locked) return refused("LOCKED")
      doing.world.reject(label)
      return doing.told(label, { verdicts: ["clear"] })
    case "pin":
      return row.pinned === move.pinned
        ? none("unchanged")
        : readOnly && !move.pinned
        ? refused("LOCKED")
        : columns({ pinned: move.pinned })
    case "lock":
      return lock(doing, row, move, columns)
    case "touch": {
      const { expiresAt } = doing.ends({ expires_at: move.expires_at })
      const ends = expiresAt !== null && (row.expiresAt === null || expiresAt < row.expiresAt)
      if (readOnly || (locked && ends)) return refused("LOCKED")
      if (isExpired(row)) {
        return expiresAt !== null && expiresAt <= doing.now
          ? none("unchanged")
          : columns({ status: "active", goneAt: null, ranOut: false, expiresAt })
      }
      return row.expiresAt === expiresAt
        ? none("unchanged")
        : columns({ expiresAt })
    }
    case "label": {
      const kept = row.tags.filter((tag) => !move.remove.includes(tag))
      const tags = [...kept, ...move.add.filter((tag) => !kept.includes(tag))]
      return isDeepStrictEqual(tags, row.tags)
        ? none("unchanged")
        : readOnly
        ? refused("LOCKED")
        : columns({ tags })
    }
    case "verify":
      return move.matches && doing.isAsRead(row) ? columns({}) : refused("PRECONDITION_FAILED")
    case "accept":
      return doing.isAsRead(row) ? comeBack(doing, row, row.source) : refused("STALE_VERSION")
    case "allow": {
      const other = labelOf(placeOf(move.other))
      if (!row.conflicts.includes(other)) return none("unchanged")
      doing.world.uncross(row, [other])
      const back = doing.world.get(other)
      if (back?.conflicts.includes(label) === true) doing.world.uncross(back, [label])
      return doing.told(label, { verdicts: ["clear"] })
    }
    case "retire":
      if (locked) return refused("LOCKED")
      if (row.pinned) return refused("PINNED_CONFLICT")
      // The row that takes its place must stand (the page has no word on it).
      if (!stands(doing, labelOf(placeOf(move.by)), label)) return refused("STALE_VERSION")
      doing.world.retire(row, labelOf(placeOf(move.by)))
      return doing.told(label, { verdicts: ["clear"] })
    case "correct": {
      if (!isLive(row, doing.now)) return none("unchanged")
      return update(doing, [row], slot, "id", { claim: move.claim, stated: move.stated, match: "none", run: "" })
    }
  }
}

const stands = (doing: Doing, label: string, other: string): boolean => {
  const row = doing.world.get(label)
  return row !== undefined && label !== other && isLive(row, doing.now)
}

const lock = (
  doing: Doing,
  row: ReferenceRow,
  move: Extract<MovePart["move"], { readonly kind: "lock" }>,
  columns: (changed: Partial<ReferenceRow>) => Outcome
): Outcome => {
  const strictness = ["", "no_delete", "read_only"]
  const until = move.mode === "" || move.until === null ? null : doing.now + move.until
  const looser = strictness.indexOf(move.mode) < strictness.indexOf(row.lock) ||
    (until !== null && (row.lockUntil === null || until < row.lockUntil))
  if (isLocked(row, doing.now) && looser && !move.mayLoosen) return refused("LOCKED")
  return row.lock === move.mode && row.lockUntil === until
    ? none("unchanged")
    : columns({ lock: move.mode, lockUntil: until })
}

/** Every head as it was; what was not there is taken out of service. Links need no care: all go back together. */
export const rollback = (doing: Doing, then: Rows): Outcome => {
  const labels = [...doing.world.rows.keys()].sort()
  const results = labels.map((label): Outcome => {
    const row = doing.row(label)
    const before = then.get(label)
    if (before === undefined && row.status === "tombstoned") return none("unchanged")
    doing.world.put({
      ...(before ?? { ...row, status: "tombstoned", goneAt: doing.now, conflicts: [], duplicateOf: null }),
      ranOut: false
    }, before === undefined ? "carried" : { back: before, rolled: true })
    return doing.told(label, { verdicts: ["clear"] })
  })
  return { tag: "each", results }
}

/** Whether a transition is about rows of this status. */
const isAbout = (row: ReferenceRow, move: MovePart["move"]): boolean => {
  const { status } = row
  switch (move.kind) {
    case "touch":
      return isExpired(row) || !["tombstoned", "rejected", "superseded"].includes(status)
    case "accept":
      return status === "proposed"
    case "reject":
      return status !== "tombstoned"
    case "tombstone":
      return move.change === "expire"
        ? status === "active"
        : status !== "tombstoned" && status !== "rejected"
    case "verify":
      return status !== "tombstoned" && status !== "rejected"
    default:
      return status !== "tombstoned" && status !== "rejected" && status !== "superseded"
  }
}
