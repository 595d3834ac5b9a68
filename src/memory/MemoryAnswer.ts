/**
 * How writes are answered, pure: the row as it stands after, what the judge made of the claim, which peers and retirements
 * the caller may hear of, and what to do next in words.
 */
import type { HeadView } from "./HeadView.ts"
import type { WriteMeta } from "./MemoryCommand.ts"
import type { Peer, Verdict, WriteAnswer } from "./MemoryFields.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { OTHERWISE } from "./QuotedReasons.ts"
import type { Decision, JudgedPeer, Met, Retirement } from "./WritePolicy.ts"

/** The answer that shows a row after a write. */
export const answerOf = (meta: WriteMeta, row: MemoryRow, facts: Partial<WriteAnswer>): WriteAnswer => ({
  memory_id: row.memory_id,
  memory_key: row.memory_key,
  namespace: row.namespace,
  version: Number(row.version),
  version_text: row.version.toString(),
  content_sha256: row.content_sha256,
  status: row.status,
  pinned: row.pinned,
  conflict_verdict: "clear",
  peers: [],
  merged_into_key: null,
  duplicate_of: row.duplicate_of === "" ? null : row.duplicate_of,
  // What took a row's place may be another user's; a plan that knows says so itself.
  superseded_by: row.superseded_by === "" || meta.bound_user !== null ? null : row.superseded_by,
  conflict_with: row.conflict_with,
  retired: [],
  reinforcement_count: row.reinforcement_count,
  retyped_from: row.retyped_from === "" ? null : row.retyped_from,
  next: null,
  noop: false,
  dry_run: meta.dry_run,
  advisories: meta.advisories,
  degraded: meta.degraded,
  chunks_written: 0,
  ...facts
})

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

/** The row that a hint is about, as its writer would address it. */
const addressed = ({ agent, memory_key, session_id }: MemoryRow, by: Place): string => {
  const names = [
    ...(agent === by.agent ? [] : [agent === "" ? "no agent" : `agent \`${agent}\``]),
    ...(session_id === by.session_id ? [] : [session_id === "" ? "no session" : `session_id \`${session_id}\``])
  ]
  return `\`${memory_key}\`${names.length === 0 ? "" : ` (${names.join(", ")})`}`
}

/** What to do about a contradiction, in words: each way names the verb that keeps what should be kept. */
const waysOut = (row: MemoryRow, by: Place, drops: boolean): string => {
  const name = addressed(row, by)
  return `If the fact changed, memory.${row.pinned ? "pin" : "set"} ${name} with the new value and its valid_at: ` +
    `the old one then answers for its time; if the stored value was wrong, memory.update ${name} with its ` +
    "content_sha256 corrects it; if both hold, conflicts.resolve with allow" +
    (drops ? `; if the new one is wrong, memory.delete \`${by.memory_key}\`` : "")
}

type Place = Pick<MemoryRow, "agent" | "session_id" | "memory_key">

/** What to do next, in words; `by` is where the judged claim was to be stored. */
export const nextStep = (decision: Decision, by: Place): string | null => {
  const conflict = decision.peers.find(({ verdict }) => verdict === "conflict")
  return conflict === undefined
    ? null
    : `\`${conflict.row.memory_key}\` ${OTHERWISE}${conflict.reason}). ` +
      waysOut(conflict.row, by, decision._tag === "Insert")
}

/**
 * What is said of a row that stays as it stood, though nothing was judged: whom it contradicts, who answers for it. A view
 * holds the rows that a row contradicts, and not always the one that it repeats.
 */
export const standingFacts = (view: HeadView, row: MemoryRow): Partial<WriteAnswer> => {
  if (row.status === "duplicate") {
    return { conflict_verdict: "duplicate", next: "The row named by duplicate_of says this too and answers for it" }
  }
  if (row.status !== "conflicted") return {}
  const other = view.withId(row.conflict_with[0] ?? "")
  return {
    conflict_verdict: "conflict",
    next: other === undefined ? null : `\`${other.memory_key}\` says otherwise. ${waysOut(other, row, false)}`
  }
}

/** What an answer says of the judgement behind it. */
export const judgedFacts = (meta: WriteMeta, decision: Decision, row: MemoryRow) => ({
  conflict_verdict: verdictOf(decision),
  ...(decision._tag === "Backfill" && mayHearOf(meta, decision.by) ? { superseded_by: decision.by.memory_id } : {}),
  peers: shownPeers(decision.peers),
  retired: shownRetired(decision.retires, meta),
  next: nextStep(decision, row)
})

const verdictOf = (decision: Decision): Verdict =>
  decision._tag === "Insert"
    ? decision.verdict
    : decision._tag === "Restate"
    ? "clear"
    : decision._tag === "Backfill"
    ? "conflict"
    : "duplicate"
