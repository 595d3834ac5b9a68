/**
 * A memory as the reference model sees it: what the page says a row is, with claims instead of text and labels instead of ids.
 */
import type { Status } from "../../src/memory/MemoryModel.ts"
import type { Claim } from "./ModelClaims.ts"

export interface ReferenceRow {
  readonly label: string
  readonly agent: string
  readonly user: string
  readonly key: string
  readonly type: string
  readonly claim: Claim
  readonly status: Exclude<Status, "void">
  readonly pinned: boolean
  /** Labels of the memories it contradicts. */
  readonly conflicts: ReadonlyArray<string>
  readonly duplicateOf: string | null
  readonly supersededBy: string | null
  readonly count: number
  readonly validAt: number | null
  readonly validTo: number | null
  readonly expiresAt: number | null
  readonly lock: "" | "read_only" | "no_delete"
  readonly lockUntil: number | null
  readonly tags: ReadonlyArray<string>
  readonly run: string
  readonly source: string
  readonly goneAt: number | null
  /** Whether it left service because its time was over, and nobody took it away. */
  readonly ranOut: boolean
}

export type Rows = ReadonlyMap<string, ReferenceRow>

/** When a claim ends by what its writer said. */
export type Ends = Pick<ReferenceRow, "validTo" | "expiresAt">

export const isEnded = ({ expiresAt, validTo }: Ends, now: number): boolean =>
  (expiresAt !== null && expiresAt <= now) || (validTo !== null && validTo <= now)

export const isServed = (row: ReferenceRow, now: number): boolean =>
  (row.status === "active" || row.status === "conflicted") && !isEnded(row, now)

export const isLive = (row: ReferenceRow, now: number): boolean =>
  ["active", "conflicted", "duplicate", "proposed"].includes(row.status) && !isEnded(row, now)

export const isLocked = ({ lock, lockUntil }: ReferenceRow, now: number): boolean =>
  lock !== "" && (lockUntil === null || lockUntil > now)

/** What a pin or a lock keeps from being replaced by a write under another identity. */
export const isHeld = (row: ReferenceRow, now: number): boolean => row.pinned || isLocked(row, now)

/** A claim whose end was written down: it reads as one whose end nobody wrote down yet. */
export const isExpired = (row: ReferenceRow): boolean => row.status === "tombstoned" && row.ranOut

/** A claim that somebody took away. */
export const isWithdrawn = (row: ReferenceRow): boolean =>
  row.status === "rejected" || (row.status === "tombstoned" && !row.ranOut)

const lasts = (end: number | null, wanted: number | null): boolean => end === null || (wanted !== null && wanted <= end)

/** Whether a row is served for as long as a claim wants to be. */
export const outlasts = (row: Ends, wanted: Ends): boolean =>
  lasts(row.expiresAt, wanted.expiresAt) && lasts(row.validTo, wanted.validTo)
