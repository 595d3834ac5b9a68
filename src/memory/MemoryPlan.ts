/**
 * From one command to the rows it appends and the answer it gives, pure. A plan reads the view (stored heads and the
 * earlier writes of the batch), asks the write policy, and builds the next versions; the actor commits them. Set and
 * bulk writes are here; update, delete and restore in `MemoryPlanTarget`.
 */
import * as Either from "effect/Either"
import type { Scope } from "../kernel/Identity.ts"
import { identityKey, identityOf } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import type { View } from "./HeadIndex.ts"
import type { BulkCommand, FailedItem, SetCommand, SetItem, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { carried, fresh, revised } from "./MemoryDraft.ts"
import type { Moment } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive } from "./MemoryModel.ts"
import type { Derived, EntityProjection } from "./MemoryStore.ts"
import { typeFacts } from "./MemoryType.ts"
import type { MemoryBulkSet } from "./MemoryVerbs.ts"
import type { Decision, Rules, WritePolicy } from "./WritePolicy.ts"

/** What a plan needs beside the command. */
export interface Planning {
  readonly scope: Scope
  readonly view: View
  readonly policy: typeof WritePolicy.Service
  readonly rules: Rules
  readonly moment: Moment
  /** An id for a row that may be created. */
  readonly mintId: () => string
}

/** The rows a command appends (its own first) and its answer. */
export interface Planned<A> {
  readonly rows: ReadonlyArray<MemoryRow>
  readonly derived: ReadonlyArray<Derived>
  readonly entities: ReadonlyArray<EntityProjection>
  readonly answer: A
}

export const nothing = <A>(answer: A): Planned<A> => ({ rows: [], derived: [], entities: [], answer })

/** The derived rows of a version: searchable copies when its content is new, and the entities it names. */
export const derivedOf = (
  row: MemoryRow,
  content: Content | null
): Pick<Planned<unknown>, "derived" | "entities"> => ({
  derived: content === null || content.searchable === null ? [] : [{
    identity: identityOf(row),
    content_sha256: row.content_sha256,
    memory_type: row.memory_type,
    source_class: row.source_class,
    verified: row.verified_kind !== "" && row.verified_sha256 === row.content_sha256,
    version: row.version,
    searchable: content.searchable
  }],
  entities: row.sensitivity === "high" || (content !== null && content.searchable === null)
    ? []
    : row.entities.map((entity) => ({ identity: identityOf(row), entity, version: row.version }))
})

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
  const { moment, policy, rules, view } = planning
  const identity = identityKey(asked)
  const head = view.head(identity)
  const item = keepSensitivity(asked, head)
  const own = head !== undefined && isLive(head, moment.now) ? head : undefined
  const { content } = item
  const limit = item.statement.char_limit ?? own?.char_limit ?? 0
  const fault = charLimitFault(content, limit)
  if (fault !== undefined) return Either.left(fault)
  return Either.map(
    policy.judge(
      {
        own,
        canonical: content.canonical_sha256 === ""
          ? []
          : view.canonical(content.memory_type, item.user_id, content.canonical_sha256, identity, moment.now)
            .filter((row) => outlives(row, item)),
        sameContent: byContent
          ? view.content(item.agent, item.user_id, content.content_sha256, identity, moment.now)
            .filter((row) => outlives(row, item))
          : []
      },
      {
        content,
        run_id: item.run_id,
        mayReplacePinned: item.statement.pinned === true,
        pins: item.statement.pinned === true,
        if_match_sha256: item.if_match_sha256,
        now: moment.now
      },
      rules
    ),
    (decision) => {
      const noted: WriteMeta = {
        ...meta,
        advisories: [...meta.advisories, ...item.advisories, ...revivalNote(head, own)]
      }
      const planned = carryOut(planning, noted, item, decision, head, own)
      return meta.dry_run ? nothing(planned.answer) : planned
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

/** Whether a row will answer at least as long as the write asks for; only then can it stand for the write. */
const outlives = (row: MemoryRow, { statement }: SetItem): boolean =>
  reaches(row.expires_at, statement.expires_at) && reaches(row.valid_to, statement.valid_to)

const reaches = (end: number | null, wanted: number | null | undefined): boolean =>
  end === null || (wanted !== undefined && wanted !== null && wanted <= end)

const revivalNote = (head: MemoryRow | undefined, own: MemoryRow | undefined): ReadonlyArray<string> =>
  head !== undefined && own === undefined && (head.status === "tombstoned" || head.status === "rejected")
    ? [`The key held a ${head.status} memory; this write brings the key back with the new value`]
    : []

const carryOut = (
  planning: Planning,
  meta: WriteMeta,
  item: SetItem,
  decision: Decision,
  head: MemoryRow | undefined,
  own: MemoryRow | undefined
): Planned<WriteAnswer> => {
  const { moment, scope } = planning
  if (decision._tag === "Merge") {
    const { into } = decision
    const row = carried(into, meta, moment, "merge", { reinforcement_count: into.reinforcement_count + 1 })
    return {
      ...nothing(answerOf(meta, row, {
        memory_key: item.memory_key,
        conflict_verdict: "merge",
        merged_into_key: into.memory_key,
        noop: true,
        advisories: [...meta.advisories, ...leftOut(item)],
        peers: [peerOf(into, "merge", decision.reason)],
        next: `The fact is already stored under \`${into.memory_key}\`; use that key`
      })),
      rows: [row]
    }
  }
  if (decision._tag === "Restate" && own !== undefined) {
    const row = carried(own, meta, moment, "restate", {
      ...item.statement,
      ...searchability(own, item),
      reinforcement_count: own.reinforcement_count + 1
    })
    const derives = row.canonical_sha256 !== own.canonical_sha256 || item.statement.entities !== undefined
    return {
      ...nothing(answerOf(meta, row, {
        advisories: [...meta.advisories, "The same value was already stored; it is reinforced"]
      })),
      rows: [row],
      ...(derives ? derivedOf(row, row.canonical_sha256 === own.canonical_sha256 ? null : item.content) : {})
    }
  }
  const base = own === undefined
    ? fresh(scope, meta, item, moment, planning.mintId(), head)
    : revised(scope, meta, item, moment, own)
  const row: MemoryRow = decision._tag === "Duplicate"
    ? { ...base, status: "duplicate", duplicate_of: decision.of.memory_id }
    : base
  return {
    rows: [row],
    ...derivedOf(row, item.content),
    answer: answerOf(meta, row, {
      chunks_written: item.content.searchable?.chunks.length ?? 0,
      ...(decision._tag === "Duplicate"
        ? {
          conflict_verdict: "duplicate",
          peers: [peerOf(decision.of, "duplicate", decision.reason)],
          next: `\`${decision.of.memory_key}\` already says this and answers for it`
        }
        : {})
    })
  }
}

/** A restatement may change type or sensitivity; the form under which equals are found follows them. */
const searchability = (own: MemoryRow, { content, statement }: SetItem): Partial<MemoryRow> =>
  statement.memory_type === undefined && statement.sensitivity === undefined ? {} : {
    canonical_sha256: typeFacts(statement.memory_type ?? own.memory_type).embedded &&
        (statement.sensitivity ?? own.sensitivity) !== "high"
      ? content.canonical_sha256
      : ""
  }

/** What a merge leaves out of the write, in words. */
const leftOut = ({ statement }: SetItem): ReadonlyArray<string> => {
  const names = Object.keys(statement)
  return names.length === 0 ? [] : [`The stored memory keeps its own terms; not applied: ${names.join(", ")}`]
}

/** A peer that says the same; equal text has similarity 1. */
export const peerOf = (row: MemoryRow, verdict: WriteAnswer["conflict_verdict"], reason: string) => ({
  memory_key: row.memory_key,
  memory_id: row.memory_id,
  similarity: 1,
  verdict,
  reason
})

type BulkAnswer = Answer<typeof MemoryBulkSet>
type BulkResult = BulkAnswer["results"][number]

const isFailed = (item: SetItem | FailedItem): item is FailedItem => "outcome" in item

/** Each item is judged on its own, after the ones before it; a refused item does not stop the others. */
export const planBulk = (planning: Planning, command: BulkCommand): Planned<BulkAnswer> => {
  const rows: Array<MemoryRow> = []
  const derived: Array<Derived> = []
  const entities: Array<EntityProjection> = []
  const results = command.items.map((item, index): BulkResult => {
    if (isFailed(item)) return { index, answer: null, ...item }
    const moment = { ...planning.moment, version: planning.moment.version + BigInt(rows.length) }
    const planned = planItem({ ...planning, moment }, command.meta, item, planning.rules.bulkDedup === "identity")
    if (Either.isLeft(planned)) {
      const { code, message } = planned.left
      return { index, memory_key: item.memory_key, outcome: "refused", code, message, answer: null }
    }
    rows.push(...planned.right.rows)
    derived.push(...planned.right.derived)
    entities.push(...planned.right.entities)
    planned.right.rows.forEach((row) => planning.view.put(row))
    const { answer } = planned.right
    return { index, memory_key: item.memory_key, outcome: outcomeOf(answer), code: null, message: null, answer }
  })
  const count = (outcome: BulkResult["outcome"]) => results.filter((result) => result.outcome === outcome).length
  const refused = count("refused")
  const failed = count("failed")
  return {
    rows,
    derived,
    entities,
    answer: {
      results,
      stored: count("stored"),
      merged: count("merged"),
      duplicates: count("duplicate"),
      refused,
      failed,
      ok: refused + failed === 0,
      degraded: command.meta.degraded
    }
  }
}

const outcomeOf = (answer: WriteAnswer): BulkResult["outcome"] =>
  answer.conflict_verdict === "merge" || answer.reinforcement_count > 1
    ? "merged"
    : answer.conflict_verdict === "duplicate"
    ? "duplicate"
    : "stored"
