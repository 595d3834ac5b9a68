/**
 * Contradictions as pairs of rows, pure: two served rows that name each other, each pair once, with the link that says
 * why. A row whose other side the caller may not see is in no pair.
 */
import type { Cause } from "./MemoryCause.ts"
import { causeIn } from "./MemoryCause.ts"
import type { Keyset } from "./MemoryReader.ts"
import type { ConflictLink } from "./MemoryReview.ts"

export interface ConflictPair {
  /** The row that stood first, then the one that came to contradict it. */
  readonly sides: readonly [ConflictLink, ConflictLink]
  /** The version of the flag: since then both name each other. */
  readonly since: bigint
  /** When it was written (milliseconds). */
  readonly at: number
  readonly write_id: string
  /** Null when the history does not say. */
  readonly cause: Cause | null
}

export interface PairFilter {
  readonly memory_key: string | null
  readonly memory_type: string | null
  /** Only pairs flagged at or before this time (milliseconds). */
  readonly until: number | null
}

export const pairId = ({ sides: [first, second] }: ConflictPair): string => `${first.memory_id}|${second.memory_id}`

const pairOf = (left: ConflictLink, right: ConflictLink): ConflictPair => {
  const older = left.since < right.since || (left.since === right.since && left.memory_id < right.memory_id)
  const sides = older ? [left, right] as const : [right, left] as const
  const causes = sides.map((side) => ({ side, cause: causeIn(side.cause) }))
  const flagged = causes.find(({ cause, side }) => cause?.memory_id === side.other)
  const [, later] = sides
  // The row that was written names the other in its own version; the other is flagged right behind it.
  return {
    sides: flagged === undefined || flagged.side === sides[0] ? sides : [sides[1], sides[0]],
    since: later.since,
    at: later.at,
    write_id: later.write_id,
    // A link that came back otherwise (a rollback) was not found by a rule; what brought it back is told.
    cause: flagged?.cause ?? causes.find(({ cause }) => cause?.memory_id === null)?.cause ?? null
  }
}

/** All pairs that match, newest first. */
export const pairsOf = (
  links: ReadonlyArray<ConflictLink>,
  { memory_key, memory_type, until }: PairFilter
): ReadonlyArray<ConflictPair> => {
  const byName = new Map(links.map((link) => [`${link.memory_id}|${link.other}`, link]))
  const pairs: Array<ConflictPair> = []
  for (const link of links) {
    if (link.memory_id > link.other) continue
    const back = byName.get(`${link.other}|${link.memory_id}`)
    if (back === undefined) continue
    const pair = pairOf(link, back)
    const isMeant = (memory_key === null || pair.sides.some((side) => side.memory_key === memory_key)) &&
      (memory_type === null || link.memory_type === memory_type) && (until === null || pair.at <= until)
    if (isMeant) pairs.push(pair)
  }
  return pairs.sort(newestFirst)
}

const newestFirst = (left: ConflictPair, right: ConflictPair): number =>
  left.since !== right.since ? left.since > right.since ? -1 : 1 : pairId(left) < pairId(right) ? -1 : 1

/** The place of a pair in the listing. */
export const placeOf = (pair: ConflictPair): Keyset => ({ value: pair.since.toString(), memory_id: pairId(pair) })

/** Those behind a place; a pair that was resolved in between only goes missing. */
export const behind = (pairs: ReadonlyArray<ConflictPair>, after: Keyset | null): ReadonlyArray<ConflictPair> => {
  if (after === null) return pairs
  const since = BigInt(after.value)
  return pairs.filter((pair) => pair.since < since || (pair.since === since && pairId(pair) > after.memory_id))
}
