/**
 * What would have been among the hits and was hidden by its state. Only rows that the legs looked at count: those that
 * came up as near as the hits did and then turned out not to be served. So a count is a lower bound, 0 mostly means none,
 * and no other tenant's or user's row is ever in it. What is deleted or of high sensitivity is no part of it: nobody may
 * learn by asking what such a row says.
 */
import { SERVED_STATUSES } from "../memory/MemoryModel.ts"
import type { HiddenHead, SearchFilter } from "./SearchModel.ts"

/** Why a row that exists is not found. */
export const SUPPRESSED = ["superseded", "duplicate", "proposed", "rejected", "expired"] as const
export type Suppression = typeof SUPPRESSED[number]

export type Counts = Readonly<Record<Suppression, number>>

export const none: Counts = { superseded: 0, duplicate: 0, proposed: 0, rejected: 0, expired: 0 }

/** The statuses of rows that may be counted; of an ended row those that were served until then. */
export const COUNTED_STATUSES = [...SERVED_STATUSES, "superseded", "duplicate", "proposed", "rejected"] as const

/** Why the row is hidden; undefined for one that is not. A state the caller asked for hides nothing, an end does. */
export const reasonOf = (head: HiddenHead, { statuses }: Pick<SearchFilter, "statuses">): Suppression | undefined => {
  // Of those that are deleted only the ones that ran out are told of.
  if (head.status === "tombstoned") return "expired"
  if (!statuses.includes(head.status)) return SUPPRESSED.find((reason) => reason === head.status)
  return head.ended ? "expired" : undefined
}

export const count = (heads: ReadonlyArray<HiddenHead>, filter: Pick<SearchFilter, "statuses">): Counts => {
  const counts = { ...none }
  for (const head of heads) {
    const reason = reasonOf(head, filter)
    if (reason !== undefined) counts[reason]++
  }
  return counts
}

/** The counts of two namespaces together. */
export const plus = (left: Counts, right: Counts): Counts => {
  const sum = { ...left }
  for (const reason of SUPPRESSED) sum[reason] += right[reason]
  return sum
}
