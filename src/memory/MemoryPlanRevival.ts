/**
 * A claim that was deleted or rejected and is now stated again by memory.update: it comes back as memory.set would bring it
 * back under its key, with what was said of it, and the answer says so. Another value under such a key is no correction of
 * what stands there, so it meets no row; then the answer says which verb does what the caller wants. Pure.
 */
import type * as Either from "effect/Either"
import type { Refusal } from "../kernel/LoomError.ts"
import type { Assumed, SetItem, UpdateByIdCommand, UpdateCommand } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { statedOf } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import { isExpired, isOut } from "./MemoryModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { planItem } from "./MemoryPlan.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"

/** Whether a content is the claim that a row held. */
const restates = (row: MemoryRow, { canonical_sha256, content_sha256 }: Content): boolean =>
  row.content_sha256 === content_sha256 || (canonical_sha256 !== "" && row.canonical_sha256 === canonical_sha256)

const hints: Partial<Record<Status, string>> = {
  tombstoned:
    "It was deleted: memory.restore brings it back, memory.update with the value it had too; memory.set states another",
  rejected: "It was rejected: memory.update with the value it had, or memory.set, states it again",
  superseded: "It was superseded: memory.restore brings it back, memory.set states another value"
}

/** What to do about rows that are out of service, in words; null where there are none. */
export const hintOf = ([row]: ReadonlyArray<MemoryRow>): string | null =>
  row === undefined || isExpired(row) ? null : hints[row.status] ?? null

/** The rows whose claim a command states again, of those its target names; one writer's, unless it has to say which. */
export const restated = (
  { content, revives }: UpdateCommand | UpdateByIdCommand,
  rows: ReadonlyArray<MemoryRow>
): ReadonlyArray<MemoryRow> =>
  revives !== true || content === null ?
    [] :
    rows.filter((row) => isOut(row.status) && !isExpired(row) && restates(row, content))

const isSame = (row: MemoryRow, { memory_id, memory_type, sensitivity }: Assumed): boolean =>
  row.memory_id === memory_id && row.memory_type === memory_type && row.sensitivity === sensitivity

/** The claim as it stood, with what the update says of it; an end that has passed is not its end any more. */
const stated = (row: MemoryRow, command: UpdateCommand | UpdateByIdCommand, content: Content, now: number): SetItem => {
  const { meta, statement } = command
  const { agent, memory_key, run_id, session_id, user_id } = row
  const lasts = (end: number | null) => end === null || end > now
  const { expires_at, expire_reason, on_expire, valid_to } = row
  return {
    agent,
    user_id,
    session_id,
    memory_key,
    run_id: meta.run_id === "" ? run_id : meta.run_id,
    content,
    statement: {
      ...statedOf(row),
      pinned: row.pinned,
      ...(lasts(expires_at) ? { expires_at, expire_reason, on_expire } : {}),
      ...(lasts(valid_to) ? { valid_to } : {}),
      ...statement
    },
    source_class: meta.source_class,
    if_match_sha256: command.if_match_sha256,
    proposed: command.proposed === true,
    advisories: []
  }
}

/** The plan that brings a claim back; null when it was prepared for another row. */
export const revival = (
  planning: Planning,
  command: UpdateCommand | UpdateByIdCommand,
  row: MemoryRow
): Either.Either<Planned<WriteAnswer>, Refusal> | null =>
  command.content === null || !isSame(row, command.assumed)
    ? null
    : planItem(planning, command.meta, stated(row, command, command.content, planning.moment.now), false)
