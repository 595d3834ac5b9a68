/**
 * How a write is judged, in the order of the page's list and as plainly as it can be said: every row is looked at, nothing
 * is indexed, and closeness is the model's own. Where the page is silent the ADRs speak; where they are silent too, a
 * comment says what was chosen.
 */
import type { ConflictPolicy } from "../../src/namespace/NamespaceModel.ts"
import { isClose, isTwin, MANY, REFUSED, saidOf, sameBytes, sameCanonical } from "./ModelClaims.ts"
import type { Claim } from "./ModelClaims.ts"
import { APPENDING } from "./ModelSteps.ts"
import { isHeld, isLive, isLocked, isServed, isWithdrawn, outlasts } from "./ReferenceRow.ts"
import type { Ends, ReferenceRow } from "./ReferenceRow.ts"

export interface Case extends Ends {
  readonly label: string
  readonly agent: string
  readonly user: string
  readonly key: string
  readonly type: string
  readonly claim: Claim
  /** The live row under its own identity, when the write revises one. */
  readonly own: ReferenceRow | undefined
  readonly tags: ReadonlyArray<string>
  readonly run: string
  /** Whether it may change a pinned row: it pins, or it is an update. */
  readonly mayReplacePinned: boolean
  readonly pins: boolean
  readonly proposed: boolean
  /** The value of its own row is corrected, dates and all. */
  readonly corrects: boolean
  /** A claim that was out of service comes back. */
  readonly revives: boolean
  readonly source: string
  readonly validAt: number | null
  /** Whether the hash it expects is the one of its own row; null when it expects none. */
  readonly matches: boolean | null
  readonly bulk: boolean
}

export interface ReferencePeer {
  readonly row: ReferenceRow
  readonly verdict: "clear" | "duplicate" | "conflict" | "refines"
}

export type Ruling =
  | { readonly tag: "refused"; readonly code: string }
  | { readonly tag: "restated" }
  /** One of the rows says the same: it is reinforced, or answers for the write (`mergesInto`). */
  | {
    readonly tag: "same"
    readonly rows: ReadonlyArray<ReferenceRow>
    readonly retires: ReadonlyArray<ReferenceRow>
  }
  | {
    readonly tag: "duplicate"
    readonly rows: ReadonlyArray<ReferenceRow>
    readonly retires: ReadonlyArray<ReferenceRow>
    readonly peers: ReadonlyArray<ReferencePeer>
  }
  | {
    readonly tag: "backfill"
    readonly rows: ReadonlyArray<ReferenceRow>
    readonly peers: ReadonlyArray<ReferencePeer>
  }
  | {
    readonly tag: "stored"
    /** The verdict is the one of the closest peer that is not clear, where peers differ either may be told. */
    readonly verdicts: ReadonlyArray<"clear" | "conflict" | "refines">
    readonly conflicts: ReadonlyArray<ReferenceRow>
    readonly retires: ReadonlyArray<ReferenceRow>
    readonly peers: ReadonlyArray<ReferencePeer>
  }

export interface Laws {
  readonly policy: ConflictPolicy
  readonly many: boolean
}

export const policyFor = ({ policy }: Laws, tags: ReadonlyArray<string>): ConflictPolicy =>
  tags.includes(APPENDING) ? "append_only" : policy

const refused = (code: string): Ruling => ({ tag: "refused", code })

/** Lock and pin of the row under the key. */
export const guarded = (row: ReferenceRow, now: number, mayReplacePinned: boolean): string | undefined =>
  row.lock === "read_only" && isLocked(row, now)
    ? "LOCKED"
    : row.pinned && !mayReplacePinned
    ? "PINNED_CONFLICT"
    : undefined

/** A merge writes nothing, so it may only happen where nothing is lost: no value of its own before, no other run. */
export const mergesInto = (row: ReferenceRow, { own, run }: Case): boolean =>
  own === undefined && (run === "" || row.run === run)

const isIndirect = (source: string) => ["imported", "extracted", "derived"].includes(source)

/** A row that says what the write says, and was taken away. What is not searched is known by its own key alone. */
const isTakenAway = (row: ReferenceRow, write: Case): boolean =>
  isWithdrawn(row) && row.user === write.user && (write.type === "episodic"
    ? row.label === write.label && sameBytes(row.claim, write.claim)
    : sameBytes(row.claim, write.claim) || (row.type === write.type && sameCanonical(row.claim, write.claim)))

/** What was taken away under a key that says something else by now, and that nobody says since. */
const wasTakenAway = (
  rows: ReadonlyArray<ReferenceRow>,
  said: ReadonlyArray<ReferenceRow>,
  write: Case,
  now: number
): boolean => {
  if (write.type === "episodic" || write.corrects || write.revives) return false
  const says = (row: ReferenceRow) =>
    row.user === write.user && row.type === write.type && sameCanonical(row.claim, write.claim)
  const last = said.filter(says).at(-1)
  return last !== undefined && isWithdrawn(last) && !rows.some((row) => says(row) && isLive(row, now))
}

const isLater = (row: ReferenceRow, write: Case): boolean =>
  row.validAt !== null && write.validAt !== null && row.validAt > write.validAt

export const judge = (
  rows: ReadonlyArray<ReferenceRow>,
  write: Case,
  laws: Laws,
  now: number,
  said: ReadonlyArray<ReferenceRow>
): Ruling => {
  const { claim, own } = write
  const identical = own !== undefined && sameBytes(own.claim, claim)
  // 1. Lock and pin; a byte-identical restatement passes every guard.
  const guard = own === undefined || identical ? undefined : guarded(own, now, write.mayReplacePinned)
  if (guard !== undefined) return refused(guard)
  // 2. Blacklist.
  if (claim.object === REFUSED) return refused("BLACKLISTED")
  // 3. Precondition.
  if (write.matches === false) return refused("PRECONDITION_FAILED")
  // A claim that was taken away comes back by an explicit write alone.
  if (
    isIndirect(write.source) &&
    (rows.some((row) => isTakenAway(row, write)) || wasTakenAway(rows, said, write, now))
  ) return refused("SUPPRESSED")
  // A claim on trial never takes the place of a live one (the page says nothing; ours is KEY_TAKEN).
  if (write.proposed && own !== undefined && own.status !== "proposed" && !identical) return refused("KEY_TAKEN")
  // 4. Restatement; a proposal that is now stated outright is judged like a new claim.
  if (identical && (own.status !== "proposed" || write.proposed)) return { tag: "restated" }
  const policy = policyFor(laws, write.tags)
  if (policy === "append_only") return { tag: "stored", verdicts: ["clear"], conflicts: [], retires: [], peers: [] }

  const elsewhere = rows.filter((row) => row.label !== write.label)
  // What was over before it was said opposes and retires nothing that holds now.
  const isOver = write.validTo !== null && write.validTo <= now
  // newest_wins: every older live row of the key, whoever wrote it; "older" by valid_at where both have one.
  const underKey = policy === "newest_wins" && !write.proposed && !write.revives
    ? elsewhere.filter((row) => row.key === write.key && row.status !== "proposed" && isLive(row, now))
      .filter((row) => !isOver || isLater(row, write))
    : []
  const replaced = policy === "newest_wins" && !write.proposed && !write.revives && own !== undefined && !write.corrects
    ? [own]
    : []
  const later = [...replaced, ...underKey].filter((row) => isLater(row, write))
  const retiresKey = later.length > 0 ? [] : underKey.filter((row) => !isHeld(row, now))

  // 5. Peers. A pinned memory never steps back behind another.
  const mayStepBack = own?.pinned !== true && !write.pins
  const served = elsewhere.filter((row) => row.user === write.user && isServed(row, now))
  const equal = write.bulk
    ? served.filter((row) => row.agent === write.agent && sameBytes(row.claim, claim) && outlasts(row, write))
    : []
  const canonical = write.type === "episodic"
    ? []
    : served.filter((row) => row.type === write.type && sameCanonical(row.claim, claim) && outlasts(row, write))
  const same = equal.length > 0 ? equal : canonical
  if (same.length > 0 && mayStepBack) {
    return { tag: "same", rows: same, retires: retiresKey }
  }
  const peers = write.type === "episodic" || isOver
    ? []
    : served.filter((row) => row.type === write.type && isClose(row.claim, claim))
      .map((row): ReferencePeer => ({ row, verdict: verdictOf(row, write, laws, now) }))
  if (
    !write.mayReplacePinned && !write.revives && !write.proposed &&
    peers.some(({ row, verdict }) => row.pinned && verdict !== "clear")
  ) {
    return refused("PINNED_CONFLICT")
  }
  if (later.length > 0 && mayStepBack) {
    const last = Math.max(...later.map((row) => row.validAt ?? 0))
    return { tag: "backfill", rows: later.filter((row) => row.validAt === last), peers }
  }
  const twins = peers.filter(({ verdict }) => verdict === "duplicate").map(({ row }) => row)
  if (twins.length > 0 && mayStepBack) return { tag: "duplicate", rows: twins, retires: retiresKey, peers }
  const refines = peers.filter(({ verdict }) => verdict === "refines").map(({ row }) => row)
  const opposed = peers.filter(({ verdict }) => verdict === "conflict").map(({ row }) => row)
  const conflicts = opposed.filter((row) => !retiresKey.includes(row))
  return {
    tag: "stored",
    verdicts: refines.length + opposed.length === 0
      ? ["clear"]
      : refines.length > 0 && conflicts.length > 0
      ? ["refines", "conflict"]
      : conflicts.length > 0
      ? ["conflict"]
      : ["refines"],
    conflicts,
    retires: [...new Set([...retiresKey, ...refines])],
    peers
  }
}

const verdictOf = (row: ReferenceRow, write: Case, laws: Laws, now: number): ReferencePeer["verdict"] => {
  switch (saidOf(row.claim, write.claim)) {
    case "other":
      return "clear"
    case "same":
      return !outlasts(row, write) ? "clear" : isTwin(row.claim, write.claim) ? "duplicate" : "conflict"
    case "unsure":
      return "conflict"
    case "differs":
      return laws.many && write.claim.subject === MANY
        ? "clear"
        : policyFor(laws, write.tags) === "newest_wins" && !write.proposed && !write.revives && !isLater(row, write) &&
            !isHeld(row, now)
        ? "refines"
        : "conflict"
  }
}
