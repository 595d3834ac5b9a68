/**
 * From a command to the judge and back, pure: what the write meets in the view, the question put to the policy, and the
 * peers as an answer shows them. Shared by every plan that judges: set, bulk_set, update, restore, accepted proposals.
 */
import * as Either from "effect/Either"
import type { Writer } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import type { WriteMeta } from "./MemoryCommand.ts"
import type { Peer, Verdict, WriteAnswer } from "./MemoryFields.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive, isServed } from "./MemoryModel.ts"
import type { Planning } from "./MemoryWriting.ts"
import { isIndirect, nominationFloor } from "./WritePolicy.ts"
import type { Decision, JudgedPeer, JudgedWrite, Met, Retirement } from "./WritePolicy.ts"

/** A claim put to the judge. */
export interface Question extends Omit<JudgedWrite, "blacklisted" | "now"> {
  readonly writer: Writer & { readonly memory_key: string }
  readonly own: MemoryRow | undefined
  readonly tags: ReadonlyArray<string>
  /** Ends of the claim (milliseconds): a row that ends earlier cannot answer for it. */
  readonly expires_at: number | null
  readonly valid_to: number | null
  /** Whether any row of the same agent and user with the same bytes is the fact (bulk writes). */
  readonly byContent: boolean
  /** Whether it states a claim (set, bulk_set), and does not correct or bring back one. */
  readonly states: boolean
}

export interface Judged {
  readonly decision: Decision
  readonly met: Met
}

export const judgeClaim = (planning: Planning, question: Question): Either.Either<Judged, Refusal> => {
  const { moment, policy, rulesFor, view } = planning
  const { content, own, writer } = question
  const rules = rulesFor({ memory_type: content.memory_type, tags: question.tags })
  const slot = { memory_type: content.memory_type, user_id: writer.user_id }
  const identity = identityKey(writer)
  const isElsewhere = (row: MemoryRow) => identityKey(row) !== identity
  const judges = rules.conflictPolicy !== "append_only"
  const equal = view.canonical(slot, content.canonical_sha256)
  const sameBytes = view.content(writer.user_id, content.content_sha256)
  // A bare value says something under its own key alone.
  const said = [...equal, ...sameBytes.filter((row) => content.canonical_sha256 !== "" || !isElsewhere(row))]
  const met: Met = {
    own,
    canonical: equal.filter((row) => isElsewhere(row) && isServed(row, moment.now) && outlives(row, question)),
    sameContent: question.byContent && rules.bulkDedup === "identity"
      ? sameBytes.filter((row) =>
        isElsewhere(row) && row.agent === writer.agent && isServed(row, moment.now) && outlives(row, question)
      )
      : [],
    withdrawn: said.find(isWithdrawn) ?? (question.states ? takenAway(planning, question, equal) : undefined),
    near: !judges || content.searchable === null || content.canonical_sha256 === ""
      ? []
      : view.near(
        { ...slot, vector: content.searchable.value_vector, threshold: nominationFloor(rules) },
        identity,
        moment.now
      ).map((near) => ({ ...near, outlasts: outlives(near.row, question) })),
    sameKey: rules.conflictPolicy === "newest_wins"
      ? view.underKey(writer.memory_key).filter((row) =>
        // A proposal is on trial: what is decided of it is not decided by a write beside it.
        isElsewhere(row) && row.status !== "proposed" && isLive(row, moment.now)
      )
      : []
  }
  const write: JudgedWrite = {
    ...question,
    blacklisted: planning.blacklisted(content),
    now: moment.now
  }
  return Either.map(policy.judge(met, write, rules), (decision) => ({ decision, met }))
}

/**
 * What was taken away under a key that says something else by now, for a claim that nobody states outright. A live row that
 * says it was stated since.
 */
const takenAway = (
  { moment, view }: Planning,
  { content, source_class, writer }: Question,
  equal: ReadonlyArray<MemoryRow>
): Met["withdrawn"] => {
  if (!isIndirect(source_class) || equal.some((row) => isLive(row, moment.now))) return undefined
  const last = view.lastWord({ memory_type: content.memory_type, user_id: writer.user_id }, content.canonical_sha256)
  return last !== undefined && isWithdrawn(last) ? last : undefined
}

/** A claim somebody took away; one that only ran out is no such thing. */
const isWithdrawn = (row: Pick<MemoryRow, "status" | "change">): boolean =>
  row.status === "rejected" || (row.status === "tombstoned" && row.change !== "expire")

/** Whether a row will answer at least as long as the claim asks for; only then can it stand for the claim. */
const outlives = (row: MemoryRow, { expires_at, valid_to }: Question): boolean =>
  reaches(row.expires_at, expires_at) && reaches(row.valid_to, valid_to)

const reaches = (end: number | null, wanted: number | null): boolean =>
  end === null || (wanted !== null && wanted <= end)

// What the page promises: up to five peers.
const SHOWN = 5

/** The peers as an answer shows them, closest first. */
export const shownPeers = (peers: ReadonlyArray<JudgedPeer>): ReadonlyArray<Peer> =>
  peers.slice(0, SHOWN).map(({ reason, row, similarity, verdict }) => ({
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    // More digits than a rule could use.
    similarity: Math.round(similarity * 1_000) / 1_000,
    verdict,
    reason
  }))

/** Whether the caller of a write may hear of a row. */
export const mayHearOf = ({ bound_user }: WriteMeta, row: MemoryRow): boolean =>
  bound_user === null || row.user_id === bound_user

/** The retirements a caller may hear of: those of rows it may read. */
export const shownRetired = (
  retired: ReadonlyArray<Retirement>,
  meta: WriteMeta
): WriteAnswer["retired"] =>
  retired
    .filter(({ row }) => mayHearOf(meta, row))
    .map(({ evidence, row, rule }) => ({
      memory_key: row.memory_key,
      memory_id: row.memory_id,
      agent: row.agent,
      session_id: row.session_id,
      rule,
      reason: evidence
    }))

/** What the writer should know of the past of its claim. */
export const withdrawnNote = ({ withdrawn }: Met): ReadonlyArray<string> =>
  withdrawn === undefined
    ? []
    : [
      `The claim was ${
        withdrawn.status === "rejected" ? "rejected" : "deleted"
      } before (\`${withdrawn.memory_key}\`); ` +
      "this write brings it back"
    ]

/** What to do next, in words. */
export const nextStep = ({ _tag, ...decision }: Decision, key: string): string | null => {
  const conflict = decision.peers.find(({ verdict }) => verdict === "conflict")
  if (conflict === undefined) return null
  return `\`${conflict.row.memory_key}\` says otherwise (${conflict.reason}). If it changed, ` +
    `memory.update \`${conflict.row.memory_key}\` with its content_sha256; if both hold, conflicts.resolve with allow` +
    (_tag === "Insert" ? `; if it is wrong, memory.delete \`${key}\`` : "")
}

/** What an answer says of the judgement behind it. */
export const judgedFacts = (meta: WriteMeta, decision: Decision, row: MemoryRow) => ({
  conflict_verdict: verdictOf(decision),
  ...(decision._tag === "Backfill" && mayHearOf(meta, decision.by) ? { superseded_by: decision.by.memory_id } : {}),
  peers: shownPeers(decision.peers),
  retired: shownRetired(decision.retires, meta),
  next: nextStep(decision, row.memory_key)
})

const verdictOf = (decision: Decision): Verdict =>
  decision._tag === "Insert"
    ? decision.verdict
    : decision._tag === "Restate"
    ? "clear"
    : decision._tag === "Backfill"
    ? "conflict"
    : "duplicate"
