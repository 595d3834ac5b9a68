/**
 * The beliefs of a few memories as intervals of the world's time, pure. An end is the one stated, or it follows from what
 * replaced the belief: the next statement under the row, or the row that retired it. Overlaps and gaps stay as they are.
 */
import * as AsOf from "./AsOf.ts"
import type { Basis, Claim, Mark, Successors } from "./AsOf.ts"
import { isOut } from "./MemoryModel.ts"
import type { Replay } from "./MemoryReplay.ts"

export interface Interval {
  readonly claim: Claim
  readonly from: number
  readonly basis: Basis
  /** Exclusive; null while it stands. */
  readonly until: number | null
  readonly derived: boolean
  /** When it left service; null while it stands. */
  readonly retiredAt: number | null
  readonly status: string
  /** What replaced it: another statement of the row, or another row. */
  readonly next: Claim | null
}

/** Every belief, earliest first; of one start, in the order they were stated. */
export const intervalsOf = ({ marks, successors }: Replay): ReadonlyArray<Interval> =>
  marks.flatMap((versions) => ofRow(versions, successors)).sort((left, right) =>
    left.from - right.from || (left.claim.first.version < right.claim.first.version ? -1 : 1)
  )

const ofRow = (versions: ReadonlyArray<Mark>, successors: Successors): ReadonlyArray<Interval> => {
  const claims = AsOf.claimsOf(versions)
  const ordered = claims.filter(AsOf.takesPart).sort(AsOf.laterFirst).reverse()
  const head = claims.reduce<Claim | undefined>(
    (top, claim) => top === undefined || claim.last.version > top.last.version ? claim : top,
    undefined
  )
  return claims.map((claim) => {
    const from = AsOf.bestDate(claim)
    const following = ordered[ordered.indexOf(claim) + 1]
    const later = AsOf.takesPart(claim) ? following : undefined
    const ends = [later === undefined ? null : AsOf.bestDate(later), AsOf.retirement(claim, successors)]
      .filter((end) => end !== null)
    const derived = ends.length === 0 ? null : Math.max(from, Math.min(...ends))
    // What the row says by now was replaced by nothing, whatever was stated under it in between (a backfill).
    const anew = claim === head ? undefined : claims.find(({ number }) => number > claim.number)
    const other = AsOf.successorOf(claim, successors)
    return {
      claim,
      from,
      basis: AsOf.basisOf(claim),
      until: claim.valid_to ?? derived,
      derived: claim.valid_to === null && derived !== null,
      retiredAt: retiredAt(claim, anew),
      status: anew !== undefined && isServedStatus(claim) ? "superseded" : claim.last.status,
      next: other ?? anew ?? null
    }
  })
}

const isServedStatus = ({ last }: Claim): boolean => last.status === "active" || last.status === "conflicted"

const retiredAt = ({ last, retired }: Claim, anew: Claim | undefined): number | null =>
  retired !== null
    ? retired.invalid_at ?? retired.updated_at
    : isOut(last.status)
    ? last.updated_at
    : anew?.first.updated_at ?? null
