/** Which rows a transition is about, by where they stand. Pure. */
import type { Transition } from "./MemoryCommand.ts"
import { isExpired, isRedacted, LIVE_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** Whether a transition is about rows of this status. */
export const isMeant = (row: MemoryRow, transition: Transition): boolean => {
  const { status } = row
  switch (transition._tag) {
    case "revert":
      return true
    case "scrub":
      return status === "tombstoned" || status === "superseded" || status === "rejected"
    case "accept":
      return status === "proposed"
    case "reject":
      return status !== "tombstoned" && status !== "void"
    case "tombstone":
      // What comes back when its end is moved comes back active, so nothing else is ended.
      return transition.change === "expire" ? status === "active" : isThere(status)
    case "verify":
      return isThere(status)
    case "touch":
      return isLiveStatus(status) || (isExpired(row) && !isRedacted(row))
    default:
      return isLiveStatus(status)
  }
}

const isThere = (status: MemoryRow["status"]): boolean =>
  status !== "tombstoned" && status !== "rejected" && status !== "void"

const isLiveStatus = (status: MemoryRow["status"]): boolean => LIVE_STATUSES.some((one) => one === status)
