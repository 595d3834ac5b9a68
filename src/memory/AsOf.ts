/**
 * What answers at an instant, pure: from the versions of an identity to its claims, and from these to the one that was
 * true (or believed) at a time. ADR 0010 gives the definitions; `AsOfClickhouse` says the same in SQL, and a test holds
 * the two together. Only statements, corrections and withdrawals move an answer on the world's axis.
 */
import type { Change, MemoryRow, Status } from "./MemoryModel.ts"
import { isOut, isServed } from "./MemoryModel.ts"

/** What an as-of read needs of a version; the value is read for the versions that answer. */
export type Mark = Pick<
  MemoryRow,
  | "agent"
  | "user_id"
  | "session_id"
  | "memory_key"
  | "memory_id"
  | "version"
  | "content_sha256"
  | "value_kind"
  | "status"
  | "change"
  | "valid_at"
  | "valid_to"
  | "temporal_anchor"
  | "invalid_at"
  | "expires_at"
  | "updated_at"
  | "superseded_by"
  | "write_id"
>

/** What a row that was true at a time may be today; of the tombstones only those of an expiry. */
export const TRUE_STATUSES: ReadonlyArray<Status> = ["active", "conflicted", "superseded", "tombstoned"]

/** One content stated under an identity, with the corrections that replaced it in place. */
export interface Claim {
  /** The how-manieth statement of the identity, from 1. */
  readonly number: number
  /** The version that stated it: when it was learned. */
  readonly first: Mark
  /** The last version that held it. */
  readonly last: Mark
  /** How it last stood, its expiry apart: that ends a row's service, not what was true. */
  readonly standing: Status
  readonly valid_at: number | null
  readonly valid_to: number | null
  readonly temporal_anchor: number | null
  /** The version that retired it, while it is retired. */
  readonly retired: Mark | null
  /** Deleted, rejected, or stated after the point that a rollback returned to. */
  readonly withdrawn: boolean
}

export type Basis = "valid_at" | "temporal_anchor" | "learned"

/** The best world date of a claim: as stated, else the date it is about, else when it was learned. */
export const bestDate = (claim: Claim): number => claim.valid_at ?? claim.temporal_anchor ?? claim.first.updated_at

export const basisOf = (claim: Claim): Basis =>
  claim.valid_at !== null ? "valid_at" : claim.temporal_anchor !== null ? "temporal_anchor" : "learned"

// Verbs that state a date of a claim already stored; on any other version a date was only carried along.
const DATING: ReadonlyArray<Change> = ["correct", "label", "rollback"]

interface Draft {
  claim: Claim
  readonly era: number
}

/** The claims of one identity, in the order they were stated. `marks` are its versions, oldest first. */
export const claimsOf = (marks: ReadonlyArray<Mark>): ReadonlyArray<Claim> => {
  const drafts: Array<Draft> = []
  const numbers = new Map<string, number>()
  let before: Mark | undefined
  let standing: Status = "active"
  let became: Change = "create"
  let out = false
  let era = 0
  let at = 0
  let rolled: { readonly version: bigint; readonly target: number } | undefined
  for (const mark of marks) {
    if (mark.status === "void") continue
    const differs = before !== undefined && before.content_sha256 !== mark.content_sha256
    const returned = numbers.get(mark.content_sha256)
    const corrects = mark.change === "correct"
    const starts = before === undefined || mark.change === "create" || mark.change === "revise" ||
      (corrects && out) || (differs && !corrects && returned === undefined)
    const resumes = !starts && differs && !corrects
    if (starts) {
      if (out) era += 1
      drafts.push({ claim: stated(mark, drafts.length + 1), era })
      at = drafts.length
    } else if (resumes) {
      at = returned ?? at
    }
    numbers.set(mark.content_sha256, at)
    if (resumes && mark.change === "rollback") rolled = { version: mark.version, target: at }
    if (before === undefined || before.status !== mark.status) became = mark.change
    out = isOut(mark.status) && became !== "expire"
    const stood = standing
    if (out || !isOut(mark.status)) standing = mark.status
    const draft = drafts[at - 1]
    if (draft !== undefined) {
      const goesOn = starts || resumes || before === undefined ? undefined : { mark: before, standing: stood }
      draft.claim = continued(draft.claim, mark, standing, goesOn)
    }
    before = mark
  }
  const current = drafts[at - 1]?.era ?? 0
  return drafts.map(({ claim, era }) => ({
    ...claim,
    withdrawn: out || era !== current ||
      (rolled !== undefined && claim.first.version < rolled.version && claim.number > rolled.target)
  }))
}

const stated = (mark: Mark, number: number): Claim => ({
  number,
  first: mark,
  last: mark,
  standing: mark.status,
  valid_at: mark.valid_at,
  valid_to: mark.valid_to,
  temporal_anchor: mark.temporal_anchor,
  retired: null,
  withdrawn: false
})

/** The claim after one more version; `before` is undefined where the version states all of its dates anew. */
const continued = (
  claim: Claim,
  mark: Mark,
  standing: Status,
  before: { readonly mark: Mark; readonly standing: Status } | undefined
): Claim => {
  const date = (column: "valid_at" | "valid_to" | "temporal_anchor"): number | null =>
    before === undefined || (DATING.includes(mark.change) && mark[column] !== before.mark[column])
      ? mark[column]
      : claim[column]
  const retires = before === undefined || before.standing !== "superseded"
  return {
    ...claim,
    last: mark,
    standing,
    valid_at: date("valid_at"),
    valid_to: date("valid_to"),
    temporal_anchor: date("temporal_anchor"),
    retired: standing !== "superseded" ? null : retires ? mark : claim.retired
  }
}

/** The claims of the row with an id, wherever it lies in the namespace. */
export type Successors = (memoryId: string) => ReadonlyArray<Claim>

/**
 * The claim that retired another: of the row that replaced it, the one stated by then. A backfill under one identity is
 * retired by what its own row said before it.
 */
export const successorOf = (claim: Claim, successors: Successors): Claim | undefined => {
  const { last, retired } = claim
  if (retired === null || last.superseded_by === "") return undefined
  const claims = successors(last.superseded_by).filter(({ first }) => first.version !== claim.first.version)
  // Within one write the order of the two rows is nobody's promise.
  const stated = claims.filter(({ first }) =>
    first.version <= retired.version || (retired.write_id !== "" && first.write_id === retired.write_id)
  )
  return stated.at(-1) ?? claims[0]
}

/** When a retired claim gave way: at the date of what replaced it, else when it was retired. Null while it stands. */
export const retirement = (claim: Claim, successors: Successors): number | null => {
  if (claim.retired === null) return null
  const successor = successorOf(claim, successors)
  return successor === undefined ? claim.retired.invalid_at ?? claim.retired.updated_at : bestDate(successor)
}

/** Whether a claim has a place in the order of its identity; a proposal is on trial and takes none. */
export const takesPart = ({ last, standing, withdrawn }: Claim): boolean =>
  !withdrawn && standing !== "proposed" && last.value_kind !== "redacted"

/** Later date first; of one date, the later statement. */
export const laterFirst = (left: Claim, right: Claim): number =>
  bestDate(right) - bestDate(left) || (right.first.version > left.first.version ? 1 : -1)

export const newestFirst = (left: Pick<Mark, "version">, right: Pick<Mark, "version">): number =>
  left.version > right.version ? -1 : 1

/** The claim that was true at a time, if any. */
export const trueAt = (claims: ReadonlyArray<Claim>, at: number, successors: Successors): Claim | undefined => {
  const claim = claims.filter((one) => takesPart(one) && bestDate(one) <= at).sort(laterFirst)[0]
  if (claim === undefined || claim.standing === "duplicate") return undefined
  const ends = [claim.valid_to, retirement(claim, successors)]
  return ends.some((end) => end !== null && end <= at) ? undefined : claim
}

/** The version of an identity that was served at a time, if any: the last one known, judged by that time's clock. */
export const servedAt = (marks: ReadonlyArray<Mark>, at: number): Mark | undefined => {
  const last = marks.filter(({ status }) => status !== "void").at(-1)
  return last !== undefined && isServed(last, at) ? last : undefined
}

/** Versions by the id of their row, oldest first, as far as they are known. */
export const byId = <M extends Mark>(
  marks: Iterable<M>,
  known: bigint | null
): ReadonlyMap<string, ReadonlyArray<M>> => {
  const groups = new Map<string, Array<M>>()
  for (const mark of marks) {
    if (mark.status === "void" || (known !== null && mark.version > known)) continue
    const group = groups.get(mark.memory_id)
    if (group === undefined) groups.set(mark.memory_id, [mark])
    else group.push(mark)
  }
  for (const group of groups.values()) group.sort((left, right) => left.version < right.version ? -1 : 1)
  return groups
}

/** Claims by the id of their row; each row's are worked out once. */
export const successorsIn = (groups: ReadonlyMap<string, ReadonlyArray<Mark>>): Successors => {
  const known = new Map<string, ReadonlyArray<Claim>>()
  return (memoryId) => {
    const found = known.get(memoryId) ?? claimsOf(groups.get(memoryId) ?? [])
    known.set(memoryId, found)
    return found
  }
}
