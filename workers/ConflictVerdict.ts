/**
 * What comes of a model's verdict on two rows, pure. Little is done on its word: an update that it is sure of retires the
 * older row when the dates agree with it, and when nobody asked for that row to stand; anything else that speaks against
 * the pair is flagged for people, and what it is not sure of is left.
 */
import { isVerified } from "../src/memory/MemoryModel.ts"
import type { Change, MemoryRow } from "../src/memory/MemoryModel.ts"
import type { VersionFacts } from "../src/memory/MemoryReview.ts"
import { isHeld } from "../src/memory/WritePolicy.ts"
import type { Rules } from "../src/memory/WritePolicy.ts"
import { linked } from "./ConflictPeers.ts"
import type { PeerVerdict } from "./ConflictPrompt.ts"

/** One row of a pair with its versions, newest first, and the policy it stands under. */
export interface Side {
  readonly row: MemoryRow
  readonly past: ReadonlyArray<VersionFacts>
  readonly policy: Rules["conflictPolicy"]
}

export type Outcome =
  | { readonly _tag: "retire"; readonly older: MemoryRow; readonly newer: MemoryRow; readonly reason: string }
  | { readonly _tag: "flag" | "clear"; readonly reason: string }
  | { readonly _tag: "leave" }

// A model's own word for how sure it is runs high; what it puts lower it mostly guesses. A row retired by mistake is still
// read by its history, and answers no question.
const SURE = 0.8

const leave: Outcome = { _tag: "leave" }

export const outcomeOf = (
  row: Side,
  peer: Side,
  { newer, sure, verdict }: Pick<PeerVerdict, "verdict" | "newer" | "sure">,
  now: number
): Outcome => {
  const isFlagged = linked(row.row, peer.row)
  const isReviewed = [row, peer].some(({ policy }) => policy === "manual_review")
  const words = (what: string) => `the language model reads them as ${what} (sure: ${sure.toFixed(2)})`
  if ([row, peer].some(({ policy }) => policy === "append_only") || sure < SURE) return leave
  const flag = (what: string): Outcome => isFlagged ? leave : { _tag: "flag", reason: words(what) }
  switch (verdict) {
    case "unsure":
      return leave
    case "compatible":
    case "same":
      // Where people review they have the last word on what was flagged.
      return isFlagged && !isReviewed ? { _tag: "clear", reason: words(`going together (${verdict})`) } : leave
    case "contradiction":
      return flag("a contradiction")
    case "update": {
      if (newer === "unknown") return leave
      const [late, early] = newer === "row" ? [row, peer] : [peer, row]
      const order = orderOf(late, early)
      // Its word against the dates: it is not sure after all.
      if (order === "against") return leave
      return isReviewed || order === "undated" || !mayRetire(late, early, now)
        ? flag("an update")
        : {
          _tag: "retire",
          older: early.row,
          newer: late.row,
          reason: `${words("an update")}; the other ${order === "dates" ? "became true later" : "was written later"}`
        }
    }
  }
}

/** By what the newer row is the newer: the dates of both, or the writing; an undated one does not win over a dated one. */
const orderOf = (late: Side, early: Side): "dates" | "writing" | "undated" | "against" => {
  const [from, to] = [early.row.valid_at, late.row.valid_at]
  if (from !== null && to !== null && from !== to) return to > from ? "dates" : "against"
  if (statedAt(late) <= statedAt(early)) return "against"
  return from !== null && to === null ? "undated" : "writing"
}

const STATING: ReadonlyArray<Change> = ["create", "revise", "correct", "restate", "merge", "accept"]

/** The last version in which somebody stated what the row says. */
const statedAt = ({ past, row }: Side): bigint =>
  past.find(({ change, content_sha256 }) => content_sha256 === row.content_sha256 && STATING.includes(change))
    ?.version ?? row.version

/** When somebody brought the row back as it is; 0n when nobody did. */
const broughtBackAt = ({ past, row }: Side): bigint =>
  past.find(({ cause, change, content_sha256 }) =>
    content_sha256 === row.content_sha256 && ((change === "restore" && cause === "") || change === "rollback")
  )?.version ?? 0n

const isOutside = (row: MemoryRow): boolean => row.source_class === "external" && !isVerified(row)

const mayRetire = (late: Side, early: Side, now: number): boolean =>
  !isHeld(early.row, now) &&
  !(isVerified(early.row) && early.row.verified_kind === "human") &&
  // Outside content that nobody vouched for takes no one's word away.
  (!isOutside(late.row) || isOutside(early.row)) &&
  // Whoever brought a row back beside the other one meant both to be seen.
  broughtBackAt(early) < statedAt(late) && broughtBackAt(late) < maxOf(statedAt(early), statedAt(late))

const maxOf = (left: bigint, right: bigint): bigint => left > right ? left : right
