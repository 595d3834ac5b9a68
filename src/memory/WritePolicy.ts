/**
 * The decision about one write, pure: guards, blacklist, precondition, restatement, canonical merge, peers, insert, in
 * that order. It sees what is stored (and the earlier writes of its batch) and says what becomes of the write and of the
 * rows it met; it never does I/O. Offered as a service, so that a deployment can put its own judge in place by providing
 * another layer. What two claims say of each other is `claims/ClaimCompare`; what the decision writes, `MemoryPlan`.
 */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { blacklisted } from "../blacklist/BlacklistModel.ts"
import type { BlacklistHit } from "../blacklist/BlacklistModel.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { ConflictPolicy } from "../namespace/NamespaceModel.ts"
import { ClaimCache } from "./claims/ClaimCache.ts"
import type { Comparison } from "./claims/ClaimCompare.ts"
import type { Near } from "./HeadView.ts"
import type { Content } from "./MemoryContent.ts"
import type { Verdict } from "./MemoryFields.ts"
import type { MemoryRow, SourceClass } from "./MemoryModel.ts"

/** What the namespace asks of the judge for one write. */
export interface Rules {
  readonly conflictPolicy: ConflictPolicy
  /** Whether a bulk write takes any live row with the same bytes of the same agent and user for the fact. */
  readonly bulkDedup: "identity" | "none"
  /** How long a memory is served at most; null means for good. */
  readonly retentionSeconds: number | null
  /**
   * Cosines: at or above `conflict` a row may be a peer on suspicion, a little below it only when it surely says otherwise;
   * at or above `duplicate` it may answer for a write that says the same.
   */
  readonly thresholds: { readonly conflict: number; readonly duplicate: number }
  /** Predicates that hold several values at once: another value beside them is no contradiction. */
  readonly multiValued: ReadonlyArray<string>
}

// Measured on pairs of short claims: a sixth of the contradictions has a cosine up to this much below the threshold that
// separates near from far, and a comparison sure of itself is hardly wrong there.
const NOMINATION_MARGIN = 0.2

/** The least cosine at which a row is compared at all. */
export const nominationFloor = ({ thresholds }: Pick<Rules, "thresholds">): number =>
  Math.max(0, thresholds.conflict - NOMINATION_MARGIN)

/** The write as the judge sees it. */
export interface JudgedWrite {
  readonly content: Content
  readonly run_id: string
  /** Whether the write itself pins, or is the verb that may change a pinned row. */
  readonly mayReplacePinned: boolean
  /** Whether the row is pinned by the write. */
  readonly pins: boolean
  /** A claim on trial: it is judged, and touches no other row until it is accepted. */
  readonly proposed: boolean
  /** An older claim comes back (restore, an accepted proposal): it retires nothing. */
  readonly revives: boolean
  readonly source_class: SourceClass
  /**
   * Found in what was said, and stated by nobody: transcripts come in any order, so of two under one key the later-dated
   * stands, and one without a date replaces none that has one.
   */
  readonly inferred?: boolean
  /** When the claim became true (milliseconds), when the writer said so. */
  readonly valid_at: number | null
  readonly if_match_sha256: string | null
  /** The blacklist pattern that the value matches. */
  readonly blacklisted: BlacklistHit | undefined
  readonly now: number
}

/** What the write meets. Peers and canonical matches share the write's type and user. */
export interface Met {
  /** The live row under the write's own identity. */
  readonly own: MemoryRow | undefined
  /** Served rows elsewhere with the same canonical form, oldest first. */
  readonly canonical: ReadonlyArray<MemoryRow>
  /** Live rows elsewhere with the same bytes, by the same agent and user, when the verb treats them as the fact. */
  readonly sameContent: ReadonlyArray<MemoryRow>
  /** A deleted or rejected row that said the same, or that did before its key was given another value. */
  readonly withdrawn: Pick<MemoryRow, "memory_key" | "status"> | undefined
  /** Served rows elsewhere whose vector is close, closest first; `outlasts`: it is served as long as the write asks. */
  readonly near: ReadonlyArray<Near & { readonly outlasts: boolean }>
  /** Live rows of other writers under the same key, when the policy compares them. */
  readonly sameKey: ReadonlyArray<MemoryRow>
}

/** A peer and what the comparison with it came to. */
export interface JudgedPeer extends Near {
  readonly verdict: Verdict
  readonly rule: string
  readonly reason: string
}

/** A row that the write takes out of service: by which rule, and on what evidence. */
export interface Retirement {
  readonly row: MemoryRow
  readonly rule: "newest_wins.key" | "newest_wins.refines"
  readonly evidence: string
}

interface Verdicted {
  readonly peers: ReadonlyArray<JudgedPeer>
  readonly retires: ReadonlyArray<Retirement>
}

export type Decision =
  & Verdicted
  & (
    /** Byte-identical to the own row: it is reinforced. */
    | { readonly _tag: "Restate" }
    /** Says what another row says: nothing is written, that row is reinforced. */
    | { readonly _tag: "Merge"; readonly into: MemoryRow; readonly reason: string }
    /** Stored under its own key, while another row answers for it. */
    | { readonly _tag: "Duplicate"; readonly of: MemoryRow; readonly reason: string }
    /** Older than what stands: stored, and at once superseded by that row. */
    | { readonly _tag: "Backfill"; readonly by: MemoryRow; readonly reason: string }
    /** A new fact, or a revision of the own row; `conflicts` are the rows it contradicts. */
    | {
      readonly _tag: "Insert"
      readonly verdict: "clear" | "conflict" | "refines"
      readonly conflicts: ReadonlyArray<JudgedPeer>
    }
  )

export class WritePolicy extends Context.Tag("loom/memory/WritePolicy")<WritePolicy, {
  readonly judge: (met: Met, write: JudgedWrite, rules: Rules) => Either.Either<Decision, Refusal>
  /** What two values say of each other; `similarity` is their vectors' cosine. */
  readonly compare: (stored: string, written: string, similarity: number) => Comparison
}>() {}

// Parsed claims kept for the next comparison, of all namespaces together: some kilobytes each, and parsing takes longer
// than comparing.
const CLAIMS_KEPT = 16_384

export const layer: Layer.Layer<WritePolicy> = Layer.sync(WritePolicy, () => {
  const claims = new ClaimCache(CLAIMS_KEPT)
  const compare = (stored: string, written: string, similarity: number) => claims.compare(stored, written, similarity)
  return { judge: (met, write, rules) => judge(met, write, rules, compare), compare }
})

type Compare = typeof WritePolicy.Service["compare"]

export const judge = (
  met: Met,
  write: JudgedWrite,
  rules: Rules,
  compare: Compare
): Either.Either<Decision, Refusal> => {
  const { own } = met
  const identical = own !== undefined && own.content_sha256 === write.content.content_sha256
  const refusal = (identical ? undefined : guards(own, write)) ??
    (write.blacklisted === undefined ? undefined : blacklisted(write.blacklisted)) ??
    preconditionFault(own, write.if_match_sha256) ?? suppressionFault(met, write) ?? proposalFault(own, write)
  if (refusal !== undefined) return Either.left(refusal)
  // A claim on trial that somebody now states outright is judged like a new one.
  if (identical && (own.status !== "proposed" || write.proposed)) {
    return Either.right({ _tag: "Restate", ...nothingMet })
  }
  if (rules.conflictPolicy === "append_only") {
    return Either.right({ _tag: "Insert", verdict: "clear", conflicts: [], ...nothingMet })
  }
  const older = write.proposed || write.revives
    ? noneOlder
    : rules.conflictPolicy === "newest_wins"
    ? olderOf(met, write)
    : write.inferred === true
    ? laterOwn(met, write)
    : noneOlder
  // A pinned memory never steps back behind another: someone asked for it to stand.
  const stands = own?.pinned === true || write.pins
  // What others say of it besides changes nothing in that the row under its key goes on standing.
  if (write.inferred === true && older.by !== undefined && !stands) return Either.right(backfill(older.by, write, []))
  const same = met.sameContent[0] ?? (write.content.canonical_sha256 === "" ? undefined : met.canonical[0])
  if (same !== undefined && !stands) {
    const reason = met.sameContent.length > 0 ? "the same words, byte for byte" : "the same canonical form"
    return Either.right(answeredBy(met, write, older.retires, same, reason))
  }
  // Rows that were looked at a little below the threshold, and in vain, are no peers.
  const peers = met.near
    .map((near) => judged(near, write, rules, compare))
    .filter(({ similarity, verdict }) => verdict !== "clear" || similarity >= rules.thresholds.conflict)
  const pinned = peers.find((peer) => peer.row.pinned && peer.verdict !== "clear")
  // A claim on trial replaces nothing.
  if (pinned !== undefined && !write.mayReplacePinned && !write.revives && !write.proposed) {
    // The key is in the words: an item of a bulk write tells of the refusal in words alone.
    const standing = `A pinned memory (\`${pinned.row.memory_key}\`) stands beside it: ${pinned.reason}`
    return Either.left(refuse("PINNED_CONFLICT", standing, {
      memory_key: pinned.row.memory_key,
      memory_id: pinned.row.memory_id,
      content_sha256: pinned.row.content_sha256,
      conflict_verdict: "rejected"
    }))
  }
  if (older.by !== undefined && !stands) return Either.right(backfill(older.by, write, peers))
  const twin = peers.find((peer) => peer.verdict === "duplicate")
  if (twin !== undefined && !stands) {
    const others = older.retires.filter((retirement) => !retires(twin.row)(retirement))
    return Either.right({ _tag: "Duplicate", of: twin.row, reason: twin.reason, peers, retires: others })
  }
  const refined = peers.filter((peer) => peer.verdict === "refines")
  const conflicts = peers.filter((peer) => peer.verdict === "conflict" && !older.retires.some(retires(peer.row)))
  const first = peers.find((peer) => peer.verdict === "refines" || peer.verdict === "conflict")
  return Either.right({
    _tag: "Insert",
    verdict: first === undefined
      ? "clear"
      : first.verdict === "refines" || conflicts.length === 0
      ? "refines"
      : "conflict",
    conflicts,
    peers,
    retires: [
      ...older.retires,
      ...refined
        .filter((peer) => !older.retires.some(retires(peer.row)))
        .map((peer): Retirement => ({ row: peer.row, rule: "newest_wins.refines", evidence: peer.reason }))
    ]
  })
}

const nothingMet: Verdicted = { peers: [], retires: [] }

const retires = (row: MemoryRow) => (retirement: Retirement): boolean => retirement.row.memory_id === row.memory_id

// A merge writes nothing, so it may only happen where nothing would be lost: not when the own key already holds another
// value (the caller revised it), and not when the match belongs to another run (a run-scoped read must find the write).
const answeredBy = (
  { own }: Met,
  { run_id }: JudgedWrite,
  older: ReadonlyArray<Retirement>,
  row: MemoryRow,
  reason: string
): Decision => {
  const merges = own === undefined && (run_id === "" || row.run_id === run_id)
  const peers: ReadonlyArray<JudgedPeer> = [
    { row, similarity: 1, verdict: merges ? "merge" : "duplicate", rule: "canonical", reason }
  ]
  const verdicted = { peers, retires: older.filter((retirement) => !retires(row)(retirement)) }
  return merges
    ? { _tag: "Merge", into: row, reason, ...verdicted }
    : { _tag: "Duplicate", of: row, reason, ...verdicted }
}

/** What newest_wins makes of the rows under the write's key: those it retires, or the later-dated one that stays. */
interface Older {
  readonly by: MemoryRow | undefined
  readonly retires: ReadonlyArray<Retirement>
}

const noneOlder: Older = { by: undefined, retires: [] }

const backfill = (by: MemoryRow, write: JudgedWrite, peers: ReadonlyArray<JudgedPeer>): Decision => ({
  _tag: "Backfill",
  by,
  reason: isLater(by, write)
    ? "the row under the key became true later"
    : "the row under the key says since when it is true, and this does not",
  peers,
  retires: []
})

/** The row under an inferred claim's own identity, when it outdates the claim. */
const laterOwn = ({ own }: Met, write: JudgedWrite): Older =>
  own !== undefined && outdates(own, write) ? { by: own, retires: [] } : noneOlder

const olderOf = ({ own, sameKey }: Met, write: JudgedWrite): Older => {
  const rows = own === undefined ? sameKey : [own, ...sameKey]
  const later = rows
    .filter((row) => outdates(row, write))
    .sort((left, right) => (right.valid_at ?? 0) - (left.valid_at ?? 0))[0]
  return later !== undefined ? { by: later, retires: [] } : {
    by: undefined,
    retires: sameKey.filter((row) => !isHeld(row, write.now)).map((row) => ({
      row,
      rule: "newest_wins.key",
      evidence: "an older row under the same key"
    }))
  }
}

/** Whether a row became true after the write did, by what both writers said. */
export const isLater = (row: MemoryRow, { valid_at }: Pick<JudgedWrite, "valid_at">): boolean =>
  row.valid_at !== null && valid_at !== null && row.valid_at > valid_at

/** Whether a row goes on standing before a write: it became true later, or the write is an inferred one without a date. */
const outdates = (row: MemoryRow, write: JudgedWrite): boolean =>
  isLater(row, write) || (write.inferred === true && row.valid_at !== null && write.valid_at === null)

/** Whether a pin or a lock keeps a row from being retired by another. */
export const isHeld = (row: MemoryRow, now: number): boolean => row.pinned || isLocked(row, now)

const judged = (near: Met["near"][number], write: JudgedWrite, rules: Rules, compare: Compare): JudgedPeer => {
  const { reason, relation, rule, substitution } = compare(near.row.value, write.content.value, near.similarity)
  const peer = (verdict: Verdict, why = reason): JudgedPeer => ({ ...near, verdict, rule, reason: why })
  if (relation === "other") return peer("clear")
  const isClose = near.similarity >= rules.thresholds.conflict
  const but = (what: string) => `${reason.replace(/\.$/, "")}, but ${what}.`
  if (relation !== "differs" && !isClose) return peer("clear", but("it is not close"))
  if (relation === "same") {
    if (!near.outlasts) return peer("clear", but("it ends before the write does"))
    return near.similarity >= rules.thresholds.duplicate
      ? peer("duplicate")
      : peer("conflict", but("not close enough to be sure"))
  }
  if (substitution === null || relation === "unsure") return peer("conflict")
  if (rules.multiValued.includes(substitution.predicate)) {
    return peer("clear", `\`${substitution.predicate}\` holds several values here`)
  }
  const replaces = rules.conflictPolicy === "newest_wins" && !write.proposed && !write.revives &&
    !outdates(near.row, write) && !isHeld(near.row, write.now)
  return peer(replaces ? "refines" : "conflict")
}

/** Lock and pin: what keeps a changed value from replacing the row under its key. */
export const guards = (
  own: MemoryRow | undefined,
  write: Pick<JudgedWrite, "mayReplacePinned" | "now">
): Refusal | undefined => {
  if (own === undefined) return undefined
  if (isLocked(own, write.now) && own.lock_mode === "read_only") return lockedFault(own)
  if (own.pinned && !write.mayReplacePinned) {
    return refuse("PINNED_CONFLICT", "A pinned memory stands under this key", {
      memory_key: own.memory_key,
      content_sha256: own.content_sha256,
      conflict_verdict: "rejected"
    })
  }
  return undefined
}

export const isLocked = (row: Pick<MemoryRow, "lock_mode" | "lock_until">, now: number): boolean =>
  row.lock_mode !== "" && (row.lock_until === null || row.lock_until > now)

/** What a caller hears whose write a lock stops. */
export const lockedFault = (row: MemoryRow): Refusal =>
  refuse(
    "LOCKED",
    row.lock_mode === "read_only" ? "The memory is locked against change" : "The memory is locked against deletion",
    {
      memory_key: row.memory_key,
      lock_mode: row.lock_mode,
      lock_until: row.lock_until === null ? null : new Date(row.lock_until).toISOString(),
      reason: row.lock_reason
    }
  )

/** `if_match_sha256` against the live row: it must be there and unchanged. */
export const preconditionFault = (own: MemoryRow | undefined, expected: string | null): Refusal | undefined =>
  expected === null || own?.content_sha256 === expected
    ? undefined
    : refuse(
      "PRECONDITION_FAILED",
      own === undefined ? "No live memory stands under the key" : "The memory changed since it was read",
      own === undefined ? {} : { memory_key: own.memory_key, content_sha256: own.content_sha256 }
    )

// Claims that nobody stated outright: they never bring back what somebody took away.
const indirect: ReadonlyArray<SourceClass> = ["imported", "extracted", "derived"]

export const isIndirect = ({ inferred, source_class }: Pick<JudgedWrite, "inferred" | "source_class">): boolean =>
  inferred === true || indirect.includes(source_class)

const suppressionFault = ({ withdrawn }: Met, write: JudgedWrite): Refusal | undefined =>
  withdrawn === undefined || !isIndirect(write)
    ? undefined
    : refuse("SUPPRESSED", `The claim was ${withdrawn.status === "rejected" ? "rejected" : "deleted"} before`, {
      memory_key: withdrawn.memory_key,
      status: withdrawn.status
    })

const proposalFault = (own: MemoryRow | undefined, { content, proposed }: JudgedWrite): Refusal | undefined =>
  !proposed || own === undefined || own.status === "proposed" || own.content_sha256 === content.content_sha256
    ? undefined
    : refuse("KEY_TAKEN", "A live memory stands under the key; a proposal would take it out of service", {
      memory_key: own.memory_key,
      content_sha256: own.content_sha256
    })
