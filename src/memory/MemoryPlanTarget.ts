/**
 * Plans of the verbs that act on a row already stored: update (by key or id) and delete. The row is resolved inside the
 * actor, against the view, so that two of them can never act on the same version. Restore: `MemoryPlanRestore`.
 */
import * as Either from "effect/Either"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import type { HeadView } from "./HeadView.ts"
import { answerOf, judgedFacts, standingFacts, withdrawnNote } from "./MemoryAnswer.ts"
import type { Assumed, DeleteCommand, Target, UpdateByIdCommand, UpdateCommand } from "./MemoryCommand.ts"
import { tombstone } from "./MemoryDependents.ts"
import { carried, updatedColumns } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import { judgeClaim } from "./MemoryJudging.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isEnded, isExpired, isLive } from "./MemoryModel.ts"
import { charLimitFault } from "./MemoryPlan.ts"
import { hintOf, restated, revival } from "./MemoryPlanRevival.ts"
import { isRecast, recast, standing } from "./MemoryRecast.ts"
import { dates } from "./MemoryRestate.ts"
import { changedTerms, heldTerms } from "./MemoryTerms.ts"
import type { MemoryDelete, MemoryUpdate } from "./MemoryVerbs.ts"
import { nothing, Writing } from "./MemoryWriting.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import { isLocked, lockedFault, preconditionFault } from "./WritePolicy.ts"

type Update = UpdateCommand | UpdateByIdCommand
type UpdateAnswer = Answer<typeof MemoryUpdate>
type DeleteAnswer = Answer<typeof MemoryDelete>

/** Rows that a target names and its writer bounds allow, in version order. */
export const named = (view: HeadView, target: Target): ReadonlyArray<MemoryRow> => {
  const byId = target.memory_id === null ? undefined : view.withId(target.memory_id)
  const rows = target.memory_id !== null
    ? byId === undefined ? [] : [byId]
    : target.memory_key === null
    ? []
    : view.underKey(target.memory_key)
  return rows.filter((row) =>
    (target.memory_key === null || row.memory_key === target.memory_key) &&
    (target.agent === null || row.agent === target.agent) &&
    (target.user_id === null || row.user_id === target.user_id) &&
    (target.session_id === null || row.session_id === target.session_id)
  )
}

export const ambiguous = (rows: ReadonlyArray<MemoryRow>): Refusal =>
  refuse("AMBIGUOUS_KEY", "The key is held by several writers; narrow by agent, user_id or session_id", {
    writers: rows.map(({ agent, memory_id, session_id, user_id }) => ({ agent, user_id, session_id, memory_id }))
  })

export const planUpdate = (
  planning: Planning,
  command: Update
): Either.Either<Planned<UpdateAnswer>, Refusal> => {
  const present = named(planning.view, command.target)
  const found = correction(planning, command)
  const said = Either.isRight(found) && found.right === "not_found" ? restated(command, present) : []
  if (said.length > 1) return Either.left(ambiguous(said))
  const back = said[0] === undefined ? null : revival(planning, command, said[0])
  if (back === null && Either.isRight(found) && typeof found.right === "string") {
    const precondition = preconditionFault(undefined, command.if_match_sha256)
    if (precondition !== undefined) return Either.left(precondition)
  }
  return Either.map(back ?? found, (corrected) =>
    typeof corrected === "string"
      ? nothing({ updated: false, reason: corrected, next: hintOf(present), degraded: command.meta.degraded })
      : {
        ...corrected,
        answer: {
          updated: !command.meta.dry_run && corrected.rows.length > 0,
          reason: corrected.rows.length > 0 ? null : "unchanged",
          ...corrected.answer
        }
      })
}

/** The corrected row, or the reason why there is none to correct. */
export const correction = (
  planning: Planning,
  command: Update
): Either.Either<Planned<WriteAnswer> | "expired" | "not_found", Refusal> => {
  const { moment } = planning
  const { content, meta, statement } = command
  const present = named(planning.view, command.target)
  const rows = present.filter((row) => isLive(row, moment.now))
  const row = rows[0]
  if (row === undefined) {
    const reason = present.some((one) => isExpired(one) || (isEnded(one, moment.now) && one.status !== "tombstoned"))
      ? "expired"
      : "not_found"
    return Either.right(reason)
  }
  if (rows.length > 1) return Either.left(ambiguous(rows))
  if (content !== null && !isAssumed(row, command.assumed)) return Either.left(stale())
  if (heldTerms(row, statement, { mayReplacePinned: true, now: moment.now }).length > 0) {
    return Either.left(lockedFault(row))
  }
  if (content === null || content.content_sha256 === row.content_sha256) {
    const precondition = preconditionFault(row, command.if_match_sha256)
    return precondition !== undefined ? Either.left(precondition) : labelled(planning, command, row)
  }
  const writing = new Writing(planning, meta)
  const fault = charLimitFault(content, statement.char_limit ?? row.char_limit)
  if (fault !== undefined) return Either.left(fault)
  return Either.map(
    judgeClaim(planning, {
      writer: row,
      // What is corrected is not later than its own correction.
      own: { ...row, valid_at: null },
      content,
      tags: statement.tags ?? row.tags,
      run_id: meta.run_id,
      mayReplacePinned: true,
      pins: statement.pinned === true,
      proposed: row.status === "proposed",
      revives: false,
      source_class: meta.source_class,
      valid_at: statement.valid_at === undefined ? row.valid_at : statement.valid_at,
      expires_at: statement.expires_at === undefined ? row.expires_at : statement.expires_at,
      valid_to: statement.valid_to === undefined ? row.valid_to : statement.valid_to,
      // Judged where the page has it: after the lock and the blacklist.
      if_match_sha256: command.if_match_sha256,
      byContent: false,
      states: false
    }),
    ({ decision, met }) => {
      const next = writing.add((moment) =>
        carried(row, meta, moment, "correct", {
          ...updatedColumns(meta, content, statement),
          ...standing(row, decision, moment.now)
        })
      )
      writing.derive(next, content)
      const ground = { rule: "claim.revised", by: row.memory_id, evidence: "the value under the key was corrected" }
      writing.unlink(next, next.conflict_with, ground)
      writing.releaseDuplicates(next, ground, next)
      // Who says that a key is secret says it of the value that is corrected too: it may stand under another key.
      if (statement.sensitivity === "high" && row.sensitivity !== "high") writing.hideDuplicates(next)
      for (const { evidence, row: older, rule } of decision.retires) {
        writing.retire(older, { rule, by: row.memory_id, evidence })
      }
      if (decision._tag === "Insert" && next.status !== "proposed") writing.flag(next, decision.conflicts)
      return settled(writing, next, {
        ...judgedFacts(meta, decision, row),
        chunks_written: content.searchable?.chunks.length ?? 0,
        advisories: [...meta.advisories, ...(content.advisories ?? []), ...withdrawnNote(met)]
      })
    }
  )
}

/** Labels only, or the same value again. */
const labelled = (
  planning: Planning,
  command: Update,
  row: MemoryRow
): Either.Either<Planned<WriteAnswer>, Refusal> => {
  const { content, meta, statement } = command
  // A content that was made from the stored value, for its new type or label, states nothing.
  const states = content !== null && command.assumed.content_sha256 === ""
  if (
    content === null && changedTerms(row, statement).length === 0 && (meta.run_id === "" || meta.run_id === row.run_id)
  ) {
    return Either.right(nothing(answerOf(meta, row, { ...standingFacts(planning.view, row), noop: true })))
  }
  const columns = {
    ...updatedColumns(meta, content, statement),
    source_class: row.source_class,
    reinforcement_count: row.reinforcement_count + (states ? 1 : 0)
  }
  const noted = { ...meta, advisories: [...meta.advisories, ...(content?.advisories ?? [])] }
  const change = !states || dates(statement) ? "label" : "restate"
  if (content !== null && isRecast(row, content)) {
    return Either.map(
      recast(planning, noted, row, { content, columns, change }),
      ({ decision, next, writing }) =>
        settled(writing, next, decision === undefined ? {} : judgedFacts(meta, decision, row))
    )
  }
  const writing = new Writing(planning, noted)
  const next = writing.add((moment) => carried(row, meta, moment, change, columns))
  writing.derive(next, content)
  if (next.sensitivity === "high" && row.sensitivity !== "high") writing.hideDuplicates(next)
  return Either.right(settled(writing, next, standingFacts(planning.view, next)))
}

export const stale = (): Refusal => refuse("STALE_VERSION", "The memory changed while the write was prepared")

/** Whether a row is the one a content was prepared for. */
export const isAssumed = (row: MemoryRow, assumed: Assumed): boolean =>
  row.memory_id === assumed.memory_id && row.memory_type === assumed.memory_type &&
  row.sensitivity === assumed.sensitivity &&
  (assumed.content_sha256 === "" || row.content_sha256 === assumed.content_sha256)

const settled = (writing: Writing, row: MemoryRow, facts: Partial<WriteAnswer>): Planned<WriteAnswer> =>
  writing.planned(answerOf(writing.meta, writing.current(row), facts))

export const planDelete = (
  planning: Planning,
  command: DeleteCommand
): Either.Either<Planned<DeleteAnswer>, Refusal> => {
  const { moment } = planning
  const { meta, target } = command
  // A rejected memory is out of service already; tombstoned, a restore would bring it back.
  const present = named(planning.view, target).filter((row) =>
    isExpired(row) || (row.status !== "tombstoned" && row.status !== "rejected" && row.status !== "void")
  )
  const live = present.filter((row) => isLive(row, moment.now))
  const rows = live.length > 0 ? live : present
  const row = rows[0]
  const missed: DeleteAnswer = {
    found: false,
    tombstoned: false,
    count: 0,
    memory_ids: [],
    version_text: null,
    dependents_tombstoned: 0,
    dependents_downgraded: 0,
    degraded: meta.degraded
  }
  if (row === undefined) return Either.right(nothing(missed))
  if (rows.length > 1) return Either.left(ambiguous(rows))
  const precondition = preconditionFault(row, command.if_match_sha256)
  if (precondition !== undefined) return Either.left(precondition)
  if (isLocked(row, moment.now)) return Either.left(lockedFault(row))
  const writing = new Writing(planning, meta)
  const ground = { rule: "memory.delete", by: null, evidence: command.reason }
  // That it ran out says nothing of what was true; that it is deleted takes back all of it, as of a row whose end nobody wrote.
  if (isExpired(row)) writing.change(row, "restore", ground, { status: "active", tombstoned_at: null })
  const next = tombstone(writing, row, ground, "delete")
  return Either.right(writing.planned({
    ...missed,
    found: true,
    tombstoned: true,
    count: 1,
    memory_ids: [next.memory_id],
    version_text: next.version.toString(),
    dependents_tombstoned: writing.dependents.tombstoned.length,
    dependents_downgraded: writing.dependents.downgraded.length
  }))
}
