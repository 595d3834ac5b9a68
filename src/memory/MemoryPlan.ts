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
import { answerOf, mayHearOf, nextStep, shownPeers, shownRetired, withdrawnNote } from "./MemoryAnswer.ts"
import type { BulkCommand, FailedItem, SetCommand, SetItem, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { statedOutright } from "./MemoryDependents.ts"
import { carried, fresh, revised } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import { judgeClaim } from "./MemoryJudging.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isExpired, isLive, isOut, isServed } from "./MemoryModel.ts"
import { restated } from "./MemoryRestate.ts"
import { endsSooner, heldTerms, withoutTerms } from "./MemoryTerms.ts"
import type { MemoryBulkSet } from "./MemoryVerbs.ts"
import { Writing } from "./MemoryWriting.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import { isLater, isLocked, lockedFault } from "./WritePolicy.ts"
import type { Decision } from "./WritePolicy.ts"

/** Refuses a value longer than the limit that the writer set on the key. */
export const charLimitFault = (content: Content, limit: number): Refusal | undefined =>
  limit > 0 && content.value.length > limit
    ? refuse("INVALID_ARGUMENT", `\`value\` is longer than the ${limit} characters its char_limit allows`, {
      field: "value",
      char_limit: limit
    })
    : undefined

/** A derived claim stands on its sources as they were read, and never in the place of what somebody stated. */
const unborneFault = (
  { moment, view }: Planning,
  sources: NonNullable<SetItem["rests_on"]>,
  own: MemoryRow | undefined
): Refusal | undefined => {
  const moved = sources.find(({ memory_id, version }) => {
    const row = view.withId(memory_id)
    return row === undefined || row.version.toString() !== version || !isServed(row, moment.now)
  })
  return moved !== undefined
    ? refuse("STALE_VERSION", "A memory that it was derived from changed since it was read", {
      memory_id: moved.memory_id
    })
    : own !== undefined && own.source_class !== "derived"
    ? refuse("KEY_TAKEN", "A memory that somebody stated stands under the key", { memory_key: own.memory_key })
    : undefined
}

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
  const own = head !== undefined && isLive(head, moment.now) ? head : undefined
  const unborne = asked.rests_on === undefined ? undefined : unborneFault(planning, asked.rests_on, own)
  if (unborne !== undefined) return Either.left(unborne)
  const stated = keepSensitivity(asked, head)
  const held = own === undefined
    ? []
    : heldTerms(own, stated.statement, { mayReplacePinned: stated.statement.pinned === true, now: moment.now })
  // A restatement passes every guard, and does no more than restate.
  const restates = own !== undefined && own.content_sha256 === stated.content.content_sha256 &&
    (own.status !== "proposed" || asked.proposed)
  const item = restates && (own.pinned || isLocked(own, moment.now))
    ? withoutTerms(stated, own, held)
    : withinRetention(planning, stated)
  const { content, statement } = item
  const fault = charLimitFault(content, statement.char_limit ?? own?.char_limit ?? 0)
  if (fault !== undefined) return Either.left(fault)
  if (!restates && own !== undefined && isLocked(own, moment.now) && endsSooner(own, statement)) {
    return Either.left(lockedFault(own))
  }
  return Either.flatMap(
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
      inferred: item.inferred === true,
      valid_at: statement.valid_at ?? null,
      expires_at: statement.expires_at ?? null,
      valid_to: statement.valid_to ?? null,
      if_match_sha256: item.if_match_sha256,
      byContent,
      states: true,
      ...(item.rests_on === undefined
        ? {}
        : { kin: new Set(item.rests_on.map(({ memory_id }) => memory_id)), isBorne: true })
    }),
    ({ decision, met }) => {
      const noted: WriteMeta = {
        ...meta,
        advisories: [
          ...meta.advisories,
          ...item.advisories,
          ...(decision._tag === "Restate" || decision._tag === "Merge" ? [] : content.advisories ?? []),
          ...revivalNote(head, own),
          ...withdrawnNote(met),
          ...(restates ? [] : proposalNote(own, content, decision)),
          ...(decision._tag === "Backfill" || restates ? [] : laterNote(own, statement.valid_at ?? null))
        ]
      }
      if (restates && decision._tag === "Restate" && own !== undefined) return restated(planning, noted, item, own)
      const writing = new Writing(planning, noted)
      const answer = carryOut(writing, item, decision, head, own)
      return Either.right(writing.planned({
        ...answer,
        peers: shownPeers(decision.peers),
        retired: shownRetired(decision.retires, meta),
        next: answer.next ?? nextStep(decision, item)
      }))
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
  head !== undefined && own === undefined && isOut(head.status) && !isExpired(head)
    ? [`The key held a ${head.status} memory; this write brings the key back with the new value`]
    : []

/** An open proposal under the key goes undecided when another claim takes its place; only the history keeps its text. */
const proposalNote = (own: MemoryRow | undefined, content: Content, decision: Decision): ReadonlyArray<string> => {
  if (own?.status !== "proposed" || decision._tag === "Merge") return []
  if (decision._tag === "Backfill" && decision.by.memory_id === own.memory_id) return []
  return [
    own.content_sha256 === content.content_sha256
      ? "An open proposal under the key said the same: this write states it outright, so nobody decides it any more"
      : "It takes the place of an open proposal under the key, which nobody decided: memory.history has its text"
  ]
}

/** A revision is served though its date lies before the one it replaces; reads of a time go by the dates. */
const laterNote = (own: MemoryRow | undefined, valid_at: number | null): ReadonlyArray<string> =>
  own === undefined || own.valid_at === null || !isLater(own, { valid_at })
    ? []
    : [
      `The value it replaces became true later (${
        new Date(own.valid_at).toISOString()
      }): this one is served now, and a read ` +
      "of a time from then on (as_of) still answers with that one. If this one holds now, memory.update its valid_at; " +
      "newest_wins keeps the later one in service"
    ]

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
        carried(into, meta, moment, "merge", {
          ...statedOutright(into, item.source_class),
          reinforcement_count: into.reinforcement_count + 1
        })
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
      return storedAnswer(writing, item, inserted(writing, item, head, own, {}), {})
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
        writing.reassert(own, { rule: "valid_at.backfill", by: by.memory_id, evidence: reason })
      } else {
        settleLinks(writing, row, head)
      }
      const isTold = mayHearOf(meta, by)
      return storedAnswer(writing, item, row, {
        conflict_verdict: "conflict",
        superseded_by: isTold ? by.memory_id : null,
        next: isTold
          ? `\`${by.memory_key}\` holds a later value, which goes on answering; this one answers for its own time (as_of). If the ` +
            "later one is wrong, memory.update corrects it"
          : "It is not served, since another under its key became true later; it answers for its own time (as_of)"
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
