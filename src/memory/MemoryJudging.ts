/**
 * From a command to the judge, pure: what the write meets in the view, and the question put to the policy. Shared by every
 * plan that judges: set, bulk_set, update, restore, accepted proposals. `MemoryAnswer` tells what came of it.
 */
import * as Either from "effect/Either"
import type { Writer } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive, isServed } from "./MemoryModel.ts"
import type { Planning } from "./MemoryWriting.ts"
import { isIndirect, isLater, nominationFloor } from "./WritePolicy.ts"
import type { Decision, JudgedWrite, Met } from "./WritePolicy.ts"

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
  /** Ids of rows that it is not compared with: they are of its own making, or it of theirs. */
  readonly kin?: ReadonlySet<string>
  /** Whether it says no more than rows that were judged: then it contradicts what they do, and takes nobody's place. */
  readonly isBorne?: boolean
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
  const isElsewhere = (row: MemoryRow) => identityKey(row) !== identity && question.kin?.has(row.memory_id) !== true
  const judges = rules.conflictPolicy !== "append_only"
  // What was over before it was said answers for its own time alone: it opposes nothing that holds now, and retires nothing.
  const isOver = question.valid_to !== null && question.valid_to <= moment.now
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
    near:
      !judges || isOver || question.isBorne === true || content.searchable === null || content.canonical_sha256 === ""
        ? []
        : view.near(
          { ...slot, vector: content.searchable.value_vector, threshold: nominationFloor(rules) },
          identity,
          moment.now
        ).filter(({ row }) => isElsewhere(row)).map((near) => ({ ...near, outlasts: outlives(near.row, question) })),
    sameKey: rules.conflictPolicy === "newest_wins" && question.isBorne !== true
      ? view.underKey(writer.memory_key).filter((row) =>
        // A proposal is on trial: what is decided of it is not decided by a write beside it. And a key that was minted for
        // what a user said of himself says something else of every user.
        isElsewhere(row) && (question.inferred !== true || row.user_id === writer.user_id) &&
        row.status !== "proposed" && isLive(row, moment.now) &&
        (!isOver || isLater(row, question))
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
  question: Question,
  equal: ReadonlyArray<MemoryRow>
): Met["withdrawn"] => {
  const { content, writer } = question
  if (!isIndirect(question) || equal.some((row) => isLive(row, moment.now))) return undefined
  const last = view.lastWord({ memory_type: content.memory_type, user_id: writer.user_id }, content.canonical_sha256)
  return last !== undefined && isWithdrawn(last) ? last : undefined
}

/** A claim somebody took away; one that only ran out, or went with what it was derived from, is no such thing. */
const isWithdrawn = (row: Pick<MemoryRow, "status" | "change">): boolean =>
  row.status === "rejected" || (row.status === "tombstoned" && row.change !== "expire" && row.change !== "retire")

/** Whether a row will answer at least as long as the claim asks for; only then can it stand for the claim. */
const outlives = (row: MemoryRow, { expires_at, valid_to }: Question): boolean =>
  reaches(row.expires_at, expires_at) && reaches(row.valid_to, valid_to)

const reaches = (end: number | null, wanted: number | null): boolean =>
  end === null || (wanted !== null && wanted <= end)
