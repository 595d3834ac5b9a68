/**
 * Plans of the verbs that act on a row already stored: update (by key or id), delete and restore. The row is resolved
 * inside the actor, against the view, so that two of them can never act on the same version.
 */
import * as Either from "effect/Either"
import { identityKey } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import type { View } from "./HeadIndex.ts"
import type { DeleteCommand, RestoreCommand, Target, UpdateByIdCommand, UpdateCommand } from "./MemoryCommand.ts"
import { carried, updatedColumns } from "./MemoryDraft.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { isLive } from "./MemoryModel.ts"
import { answerOf, charLimitFault, derivedOf, nothing, peerOf } from "./MemoryPlan.ts"
import type { Planned, Planning } from "./MemoryPlan.ts"
import type { MemoryDelete, MemoryRestore, MemoryUpdate } from "./MemoryVerbs.ts"
import { guards, isLocked, preconditionFault } from "./WritePolicy.ts"

type Update = UpdateCommand | UpdateByIdCommand
type UpdateAnswer = Answer<typeof MemoryUpdate>
type DeleteAnswer = Answer<typeof MemoryDelete>
type RestoreAnswer = Answer<typeof MemoryRestore>

// How long a delete can be undone: the page's recovery window.
const RESTORE_WINDOW_MILLIS = 14 * 24 * 60 * 60 * 1000

/** Rows that a target names and its writer bounds allow, in version order. */
export const named = (view: View, target: Target): ReadonlyArray<MemoryRow> => {
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

const ambiguous = (rows: ReadonlyArray<MemoryRow>): Refusal =>
  refuse("AMBIGUOUS_KEY", "The key is held by several writers; narrow by agent, user_id or session_id", {
    writers: rows.map(({ agent, memory_id, session_id, user_id }) => ({ agent, user_id, session_id, memory_id }))
  })

export const planUpdate = (
  planning: Planning,
  command: Update
): Either.Either<Planned<UpdateAnswer>, Refusal> => {
  const { moment, policy, rules, view } = planning
  const { content, meta, statement } = command
  const rows = named(planning.view, command.target).filter((row) => isLive(row, moment.now))
  const row = rows[0]
  if (row === undefined) return Either.right(nothing({ updated: false, reason: "not_found", degraded: meta.degraded }))
  if (rows.length > 1) return Either.left(ambiguous(rows))
  const precondition = preconditionFault(row, command.if_match_sha256)
  if (precondition !== undefined) return Either.left(precondition)
  if (content !== null && !isAssumed(row, command)) {
    return Either.left(refuse("STALE_VERSION", "The memory changed while the update was prepared"))
  }
  const write = { mayReplacePinned: true, pins: statement.pinned === true, now: moment.now }
  if (content === null || content.content_sha256 === row.content_sha256) {
    // Labels only, or the same value again: a read_only lock refuses a changed expiry, a restatement passes.
    const guard = statement.expires_at === undefined ? undefined : guards(row, write)
    if (guard !== undefined) return Either.left(guard)
    const restated = content !== null
    const next = carried(row, meta, moment, restated ? "restate" : "label", {
      ...updatedColumns(meta, restated ? content : null, statement),
      ...(restated ? { source_class: row.source_class, reinforcement_count: row.reinforcement_count + 1 } : {})
    })
    return Either.right(settled(command, next, {}))
  }
  const fault = charLimitFault(content, statement.char_limit ?? row.char_limit)
  if (fault !== undefined) return Either.left(fault)
  const canonical = content.canonical_sha256 === ""
    ? []
    : view.canonical(content.memory_type, row.user_id, content.canonical_sha256, identityKey(row), moment.now)
  return Either.map(
    policy.judge(
      { own: row, canonical, sameContent: [] },
      { content, run_id: meta.run_id, if_match_sha256: command.if_match_sha256, ...write },
      rules
    ),
    (decision) => {
      const status: Partial<MemoryRow> = decision._tag === "Duplicate"
        ? { status: "duplicate", duplicate_of: decision.of.memory_id }
        : row.status === "duplicate"
        ? { status: "active", duplicate_of: "" }
        : {}
      const next = carried(row, meta, moment, "revise", { ...updatedColumns(meta, content, statement), ...status })
      return settled(
        command,
        next,
        decision._tag === "Duplicate"
          ? { conflict_verdict: "duplicate", peers: [peerOf(decision.of, "duplicate", decision.reason)] }
          : {}
      )
    }
  )
}

const isAssumed = (row: MemoryRow, { assumed }: Update): boolean =>
  row.memory_id === assumed.memory_id && row.memory_type === assumed.memory_type &&
  row.sensitivity === assumed.sensitivity &&
  (assumed.content_sha256 === "" || row.content_sha256 === assumed.content_sha256)

const settled = (
  { content, meta }: Update,
  row: MemoryRow,
  facts: Parameters<typeof answerOf>[2]
): Planned<UpdateAnswer> => {
  const answer = {
    updated: !meta.dry_run,
    reason: null,
    ...answerOf(meta, row, { chunks_written: content?.searchable?.chunks.length ?? 0, ...facts })
  }
  return meta.dry_run ? nothing(answer) : { rows: [row], ...derivedOf(row, content), answer }
}

export const planDelete = (
  planning: Planning,
  command: DeleteCommand
): Either.Either<Planned<DeleteAnswer>, Refusal> => {
  const { moment } = planning
  const { meta, target } = command
  const present = named(planning.view, target).filter((row) => row.status !== "tombstoned" && row.status !== "void")
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
  if (isLocked(row, moment.now)) {
    return Either.left(refuse("LOCKED", "The memory is locked against deletion", {
      memory_key: row.memory_key,
      lock_mode: row.lock_mode,
      reason: row.lock_reason
    }))
  }
  const next = carried(row, meta, moment, "delete", {
    status: "tombstoned",
    tombstoned_at: moment.now,
    cause: command.reason === "" ? "" : `reason: ${command.reason}`
  })
  const answer: DeleteAnswer = {
    ...missed,
    found: true,
    tombstoned: true,
    count: 1,
    memory_ids: [next.memory_id],
    version_text: next.version.toString()
  }
  return Either.right({ ...nothing(answer), rows: [next] })
}

export const planRestore = (
  planning: Planning,
  command: RestoreCommand
): Either.Either<Planned<RestoreAnswer>, Refusal> => {
  const { moment, policy, rules, view } = planning
  const { meta } = command
  const rows = named(planning.view, command.target)
  const deleted = rows.filter((row) => row.status === "tombstoned")
  const row = deleted[0]
  if (row === undefined) {
    return Either.right(nothing({
      found: rows.length > 0,
      restored: false,
      reason: rows.length > 0 ? "not_deleted" : "not_found",
      degraded: meta.degraded
    }))
  }
  if (deleted.length > 1) return Either.left(ambiguous(deleted))
  const age = moment.now - (row.tombstoned_at ?? row.updated_at)
  if (age > RESTORE_WINDOW_MILLIS) {
    return Either.left(refuse("RESTORE_WINDOW_PASSED", "The memory was deleted more than 14 days ago", {
      memory_key: row.memory_key,
      tombstoned_at: new Date(row.tombstoned_at ?? row.updated_at).toISOString()
    }))
  }
  // The claim may have been written again elsewhere since; then that row goes on answering for it.
  const canonical = row.canonical_sha256 === "" || rules.conflictPolicy === "append_only"
    ? []
    : view.canonical(row.memory_type, row.user_id, row.canonical_sha256, identityKey(row), moment.now)
  return Either.map(
    policy.judge(
      { own: undefined, canonical, sameContent: [] },
      {
        content: { ...row, searchable: null },
        run_id: row.run_id,
        mayReplacePinned: true,
        pins: row.pinned,
        if_match_sha256: null,
        now: moment.now
      },
      rules
    ),
    (decision) => {
      const answering = decision._tag === "Merge"
        ? decision.into
        : decision._tag === "Duplicate"
        ? decision.of
        : undefined
      const status: Status = answering !== undefined
        ? "duplicate"
        : row.conflict_with.length > 0
        ? "conflicted"
        : "active"
      const next = carried(row, meta, moment, "restore", {
        status,
        duplicate_of: answering?.memory_id ?? "",
        tombstoned_at: null
      })
      const answer: RestoreAnswer = {
        found: true,
        restored: true,
        reason: null,
        ...answerOf(meta, next, answering === undefined ? {} : { conflict_verdict: "duplicate" })
      }
      return { rows: [next], ...derivedOf(next, null), answer }
    }
  )
}
