/**
 * From a stated claim to the rows it appends and the answer it gives, pure: memory.set and memory.bulk_set. The claim is
 * judged (`MemoryJudging`, `WritePolicy`), then the decision is carried out (`MemoryWriting`); the actor commits the rows.
 * Update, delete and restore are in `MemoryPlanTarget`.
 */
import * as Either from "effect/Either"
import { identityKey } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import type { BulkCommand, FailedItem, SetCommand, SetItem, Statement, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { carried, fresh, revised } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import { judgeClaim, nextStep, shownPeers, shownRetired, withdrawnNote } from "./MemoryJudging.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive } from "./MemoryModel.ts"
import { isSearchable } from "./MemoryType.ts"
import type { MemoryBulkSet } from "./MemoryVerbs.ts"
import { Writing } from "./MemoryWriting.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import { guards } from "./WritePolicy.ts"
import type { Decision } from "./WritePolicy.ts"

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
  superseded_by: row.superseded_by === "" ? null : row.superseded_by,
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

/** Refuses a value longer than the limit that the writer set on the key. */
export const charLimitFault = (content: Content, limit: number): Refusal | undefined =>
  limit > 0 && content.value.length > limit
    ? refuse("INVALID_ARGUMENT", `\`value\` is longer than the ${limit} characters its char_limit allows`, {
      field: "value",
      char_limit: limit
    })
    : undefined

export const planSet = (
  planning: Planning,
  command: SetCommand
): Either.Either<Planned<WriteAnswer>, Refusal> => planItem(planning, command.meta, command.item, false)

/** One item; `byContent` treats any row of the same agent and user with the same bytes as the fact (bulk writes). */
export const planItem = (
  planning: Planning,
  meta: WriteMeta,
  asked: SetItem,
  byContent: boolean
): Either.Either<Planned<WriteAnswer>, Refusal> => {
  const { moment, view } = planning
  const head = view.head(identityKey(asked))
  const item = withinRetention(planning, keepSensitivity(asked, head))
  const own = head !== undefined && isLive(head, moment.now) ? head : undefined
  const { content, statement } = item
  const fault = charLimitFault(content, statement.char_limit ?? own?.char_limit ?? 0)
  if (fault !== undefined) return Either.left(fault)
  if (own !== undefined && own.content_sha256 === content.content_sha256 && movesEnds(restatement(statement, own))) {
    // A restatement passes every guard; one that moves the memory's ends is more than that.
    const guard = guards(own, { mayReplacePinned: true, now: moment.now })
    if (guard !== undefined) return Either.left(guard)
  }
  return Either.map(
    judgeClaim(planning, {
      writer: item,
      own,
      content,
      tags: statement.tags ?? [],
      run_id: item.run_id,
      mayReplacePinned: statement.pinned === true,
      pins: statement.pinned === true,
      proposed: item.proposed,
      revives: false,
      source_class: item.source_class,
      valid_at: statement.valid_at ?? null,
      expires_at: statement.expires_at ?? null,
      valid_to: statement.valid_to ?? null,
      if_match_sha256: item.if_match_sha256,
      byContent,
      states: true
    }),
    ({ decision, met }) => {
      const noted: WriteMeta = {
        ...meta,
        advisories: [
          ...meta.advisories,
          ...item.advisories,
          ...(decision._tag === "Restate" || decision._tag === "Merge" ? [] : content.advisories ?? []),
          ...revivalNote(head, own),
          ...withdrawnNote(met)
        ]
      }
      const writing = new Writing(planning, noted)
      const answer = carryOut(writing, item, decision, head, own)
      return writing.planned({
        ...answer,
        peers: shownPeers(decision.peers),
        retired: shownRetired(decision.retires, meta),
        next: answer.next ?? nextStep(decision, item.memory_key)
      })
    }
  )
}

/**
 * A label once set under a key stays until a write states another: the next password under a key is as secret as the one
 * before it, said or not.
 */
const keepSensitivity = (item: SetItem, head: MemoryRow | undefined): SetItem => {
  const { content, statement } = item
  if (head === undefined || statement.sensitivity !== undefined || content.sensitivity === "high") return item
  if (head.sensitivity === "high") {
    return { ...item, content: { ...content, sensitivity: "high", canonical_sha256: "", searchable: null } }
  }
  return head.sensitivity === "medium" ? { ...item, content: { ...content, sensitivity: "medium" } } : item
}

/** The retention that a tag prescribes ends a memory no later than the writer would. */
const withinRetention = ({ moment, rulesFor }: Planning, item: SetItem): SetItem => {
  const { content, statement } = item
  const { retentionSeconds } = rulesFor({ memory_type: content.memory_type, tags: statement.tags ?? [] })
  if (retentionSeconds === null) return item
  const end = moment.now + retentionSeconds * 1_000
  const stated = statement.expires_at ?? null
  if (stated !== null && stated <= end) return item
  return {
    ...item,
    statement: {
      ...statement,
      expires_at: end,
      on_expire: statement.on_expire ?? "",
      expire_reason: "retention of its tag"
    },
    advisories: [...item.advisories, `A tag's retention ends it at ${new Date(end).toISOString()}`]
  }
}

const revivalNote = (head: MemoryRow | undefined, own: MemoryRow | undefined): ReadonlyArray<string> =>
  head !== undefined && own === undefined && (head.status === "tombstoned" || head.status === "rejected")
    ? [`The key held a ${head.status} memory; this write brings the key back with the new value`]
    : []

const carryOut = (
  writing: Writing,
  item: SetItem,
  decision: Decision,
  head: MemoryRow | undefined,
  own: MemoryRow | undefined
): WriteAnswer => {
  const { meta } = writing
  switch (decision._tag) {
    case "Merge": {
      const { into } = decision
      const row = writing.add((moment) =>
        carried(into, meta, moment, "merge", { reinforcement_count: into.reinforcement_count + 1 })
      )
      retireAll(writing, decision, row.memory_id)
      return answerOf(meta, writing.current(row), {
        memory_key: item.memory_key,
        conflict_verdict: "merge",
        merged_into_key: into.memory_key,
        noop: true,
        advisories: [...meta.advisories, ...leftOut(item)],
        next: `The fact is already stored under \`${into.memory_key}\`; use that key`
      })
    }
    case "Restate":
      return own === undefined
        ? storedAnswer(writing, item, inserted(writing, item, head, own, {}), {})
        : restated(writing, item, own)
    case "Duplicate": {
      // A claim on trial waits for its decision, whoever says the same.
      const waits = item.proposed ? {} : { status: "duplicate", duplicate_of: decision.of.memory_id } as const
      const row = inserted(writing, item, head, own, waits)
      settleLinks(writing, row, head)
      retireAll(writing, decision, decision.of.memory_id)
      return storedAnswer(writing, item, row, {
        conflict_verdict: "duplicate",
        next: item.proposed ? null : `\`${decision.of.memory_key}\` already says this and answers for it`
      })
    }
    case "Backfill": {
      const { by, reason } = decision
      const row = inserted(writing, item, head, own, {
        status: "superseded",
        superseded_by: by.memory_id,
        invalid_at: writing.now
      })
      // One identity has one head: where the later value stands under the write's own identity, it goes on standing.
      if (own !== undefined && identityKey(own) === identityKey(by)) {
        writing.reassert(own, { rule: "newest_wins.backfill", by: by.memory_id, evidence: reason })
      } else {
        settleLinks(writing, row, head)
      }
      return storedAnswer(writing, item, row, {
        conflict_verdict: "conflict",
        next: `\`${by.memory_key}\` holds a later value, which goes on answering; this one answers for its own time`
      })
    }
    case "Insert": {
      const conflicts = decision.conflicts.map(({ row }) => row.memory_id)
      const row = inserted(writing, item, head, own, {
        conflict_with: conflicts,
        ...(conflicts.length > 0 && !item.proposed ? { status: "conflicted" } : {})
      })
      settleLinks(writing, row, head)
      retireAll(writing, decision, row.memory_id)
      if (!item.proposed) writing.flag(row, decision.conflicts)
      // A duplicate that came back may contradict the row by now.
      return storedAnswer(writing, item, writing.current(row), { conflict_verdict: decision.verdict })
    }
  }
}

const retireAll = (writing: Writing, { retires }: Decision, by: string): void => {
  for (const { evidence, row, rule } of retires) writing.retire(row, { rule, by, evidence })
}

const restated = (writing: Writing, item: SetItem, own: MemoryRow): WriteAnswer => {
  const { meta } = writing
  const { valid_at } = item.statement
  const asked = restatement(item.statement, own)
  const row = writing.add((moment) =>
    carried(own, meta, moment, dates(asked) ? "label" : "restate", {
      ...asked,
      ...classified(own, item),
      reinforcement_count: own.reinforcement_count + 1
    })
  )
  const isNew = row.canonical_sha256 !== own.canonical_sha256 || isSearchable(row) !== isSearchable(own)
  if (isNew || item.statement.entities !== undefined) writing.derive(row, isNew ? item.content : null)
  return answerOf(meta, row, {
    advisories: [
      ...meta.advisories,
      ...(row.sensitivity === own.sensitivity ? [] : item.content.advisories ?? []),
      "The same value was already stored; it is reinforced",
      ...(valid_at === undefined || own.valid_at === null || valid_at === own.valid_at
        ? []
        : ["It keeps the valid_at it has; memory.update changes that"])
    ]
  })
}

/** Whether a statement says when its claim was true; such a change counts on the time axis, a plain restatement never. */
export const dates = ({ valid_at, valid_to }: Statement): boolean => valid_at !== undefined || valid_to !== undefined

/** Whether a statement moves when a memory is true or served: that is a change, whatever its value. */
export const movesEnds = (statement: Statement): boolean => dates(statement) || statement.expires_at !== undefined

/** What of a restated claim counts: when it became true is said once, or the same sentence would take the first answer away. */
const restatement = ({ valid_at, ...statement }: Statement, own: MemoryRow): Statement =>
  own.valid_at === null && valid_at !== undefined ? { ...statement, valid_at } : statement

/** The item's own row. */
const inserted = (
  writing: Writing,
  item: SetItem,
  head: MemoryRow | undefined,
  own: MemoryRow | undefined,
  columns: Partial<MemoryRow>
): MemoryRow => {
  const { meta, planning } = writing
  const row = writing.add((moment) => ({
    ...(own === undefined
      ? fresh(planning.scope, meta, item, moment, planning.mintId(), head)
      : revised(planning.scope, meta, item, moment, own)),
    ...columns
  }))
  writing.derive(row, item.content)
  return row
}

const storedAnswer = (writing: Writing, item: SetItem, row: MemoryRow, facts: Partial<WriteAnswer>): WriteAnswer =>
  answerOf(writing.meta, row, { chunks_written: item.content.searchable?.chunks.length ?? 0, ...facts })

/** What a new value under a key means for the rows that were linked to the old one, live or not. */
const settleLinks = (writing: Writing, row: MemoryRow, head: MemoryRow | undefined): void => {
  if (head === undefined) return
  const ground = { rule: "claim.revised", by: row.memory_id, evidence: "the value under the key changed" }
  // A claim on trial touches no other row: what contradicted the old claim has nothing to do with it yet.
  writing.unlink(row, row.status === "proposed" ? [] : row.conflict_with, ground)
  writing.releaseDuplicates(row, ground, row)
}

/**
 * A restatement may change type or sensitivity, and a value may be known for a secret by now; the form under which equals
 * are found follows them.
 */
const classified = (own: MemoryRow, { content, statement }: SetItem): Partial<MemoryRow> => {
  const typed = statement.memory_type === undefined
    ? { memory_type: own.memory_type }
    : { memory_type: content.memory_type, retyped_from: content.retyped_from }
  const sensitivity = statement.sensitivity ?? (content.sensitivity === "high" ? "high" : own.sensitivity)
  const changes = statement.memory_type !== undefined || sensitivity !== own.sensitivity
  return {
    ...typed,
    sensitivity,
    ...(changes
      ? { canonical_sha256: isSearchable({ ...typed, sensitivity }) ? content.canonical_sha256 : "" }
      : {})
  }
}

/** What a merge leaves out of the write, in words. */
const leftOut = ({ statement }: SetItem): ReadonlyArray<string> => {
  const names = Object.keys(statement)
  return names.length === 0 ? [] : [`The stored memory keeps its own terms; not applied: ${names.join(", ")}`]
}

type BulkAnswer = Answer<typeof MemoryBulkSet>
type BulkResult = BulkAnswer["results"][number]

const isFailed = (item: SetItem | FailedItem): item is FailedItem => "outcome" in item

/** Each item is judged on its own, after the ones before it; a refused item does not stop the others. */
export const planBulk = (asked: Planning, command: BulkCommand): Planned<BulkAnswer> => {
  // A dry run sees its own earlier items too, on a view that is thrown away.
  const planning = command.meta.dry_run ? { ...asked, view: asked.view.fork() } : asked
  const writing = new Writing(planning, command.meta)
  const results = command.items.map((item, index): BulkResult => {
    if (isFailed(item)) return { index, answer: null, ...item }
    const moment = { ...planning.moment, version: planning.moment.version + BigInt(writing.rows.length) }
    const planned = planItem({ ...planning, moment }, command.meta, item, true)
    if (Either.isLeft(planned)) {
      const { code, message } = planned.left
      return { index, memory_key: item.memory_key, outcome: "refused", code, message, answer: null }
    }
    writing.rows.push(...planned.right.rows)
    writing.derived.push(...planned.right.derived)
    writing.entities.push(...planned.right.entities)
    planning.view.putAll(planned.right)
    const { answer } = planned.right
    return { index, memory_key: item.memory_key, outcome: outcomeOf(answer), code: null, message: null, answer }
  })
  const count = (outcome: BulkResult["outcome"]) => results.filter((result) => result.outcome === outcome).length
  const refused = count("refused")
  const failed = count("failed")
  return writing.planned({
    results,
    stored: count("stored"),
    merged: count("merged"),
    duplicates: count("duplicate"),
    refused,
    failed,
    ok: refused + failed === 0,
    degraded: command.meta.degraded
  })
}

const outcomeOf = (answer: WriteAnswer): BulkResult["outcome"] =>
  answer.conflict_verdict === "merge" || answer.reinforcement_count > 1
    ? "merged"
    : answer.conflict_verdict === "duplicate"
    ? "duplicate"
    : "stored"
