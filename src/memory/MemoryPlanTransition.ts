/**
 * Plans of the changes to rows already stored that state no new claim: lifecycle verbs, sweeps, expiry, rollbacks and
 * resolutions. Pure; each item is decided on its own, after the ones before it, and a refused one stops no other.
 */
import * as Either from "effect/Either"
import { blacklisted } from "../blacklist/BlacklistModel.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { answerOf, judgedFacts, standingFacts } from "./MemoryAnswer.ts"
import type {
  Transition,
  TransitionAnswer,
  TransitionCommand,
  TransitionItem,
  TransitionResult
} from "./MemoryCommand.ts"
import { flagged, reconciled } from "./MemoryContradiction.ts"
import { rejected, sourceLost, tombstone, wentWithSources } from "./MemoryDependents.ts"
import { carried } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import type { Change, MemoryRow } from "./MemoryModel.ts"
import { isExpired, isLive, isRedacted, isServed } from "./MemoryModel.ts"
import { comingBack } from "./MemoryPlanRestore.ts"
import { ambiguous, correction, named } from "./MemoryPlanTarget.ts"
import { reverted } from "./MemoryRevert.ts"
import { scrubbedContent } from "./MemoryScrub.ts"
import { isSame, isSooner } from "./MemoryTerms.ts"
import { nothing, Writing } from "./MemoryWriting.ts"
import type { Ground, Planned, Planning } from "./MemoryWriting.ts"
import { isOnlyNamedSince, namedOn } from "./NamedThingSource.ts"
import { isMeant } from "./TransitionTarget.ts"
import { isLocked, lockedFault } from "./WritePolicy.ts"

/** What became of a row: the plan, or null when it already was as asked. */
type Moved = Either.Either<(Planned<WriteAnswer> & Partial<Pick<Writing, "dependents">>) | null, Refusal>

const none: Writing["dependents"] = { tombstoned: [], downgraded: [] }

export const planTransition = (asked: Planning, command: TransitionCommand): Planned<TransitionAnswer> => {
  const isTrial = command.meta.dry_run || command.atomic === true
  const planning = isTrial ? { ...asked, view: asked.view.fork() } : asked
  const all = new Writing(planning, command.meta)
  // What rows that this command changed were before it.
  const before = new Map<string, bigint>()
  const results = command.items.map((item, index): TransitionResult => {
    const moment = { ...planning.moment, version: planning.moment.version + BigInt(all.rows.length) }
    const { moved, row } = step({ ...planning, moment }, command, item, before)
    const about = {
      index,
      // Of a row that is not there, the id that was asked for: a retry tells of it by this alone.
      memory_id: row?.memory_id ?? item.target.memory_id,
      memory_key: row?.memory_key ?? null,
      code: null,
      message: null,
      facts: {},
      status_before: row?.status ?? null,
      answer: null
    }
    if (moved === undefined) return { ...about, outcome: "not_found" }
    if (Either.isLeft(moved)) {
      const { code, facts, message } = moved.left
      return { ...about, outcome: "refused", code, message, facts }
    }
    if (moved.right === null) {
      return {
        ...about,
        outcome: "unchanged",
        answer: row === undefined ? null : answerOf(command.meta, row, { noop: true })
      }
    }
    all.rows.push(...moved.right.rows)
    all.derived.push(...moved.right.derived)
    all.entities.push(...moved.right.entities)
    for (const { memory_id } of moved.right.rows) {
      const known = planning.view.withId(memory_id)
      if (known !== undefined && !before.has(memory_id)) before.set(memory_id, known.version)
    }
    planning.view.putAll(moved.right)
    const { answer, dependents = none } = moved.right
    const isAlone = dependents.tombstoned.length + dependents.downgraded.length === 0
    return { ...about, outcome: "changed", answer, ...(isAlone ? {} : { dependents }) }
  })
  const isOff = command.atomic === true &&
    results.some(({ outcome }) => outcome === "refused" || outcome === "not_found")
  if (!isOff) {
    return all.planned({
      results: command.atomic === true ? results.map((one) => settled(planning, command, one)) : results
    })
  }
  return nothing({
    results: results.map((result): TransitionResult =>
      result.outcome === "changed" ? { ...result, outcome: "unchanged", answer: null, dependents: none } : result
    )
  })
}

/** A result of a command that is one whole: its row as it stands when all of it is done. */
const settled = (
  { view }: Planning,
  { meta }: TransitionCommand,
  result: TransitionResult
): TransitionResult => {
  const row = result.memory_id === null ? undefined : view.withId(result.memory_id)
  const { answer } = result
  if (row === undefined || answer === null || answer.version_text === row.version.toString()) return result
  const { conflict_with, status, superseded_by, version, version_text } = answerOf(meta, row, {})
  return {
    ...result,
    outcome: "changed",
    answer: { ...answer, noop: false, conflict_with, status, superseded_by, version, version_text }
  }
}

const step = (
  planning: Planning,
  command: TransitionCommand,
  item: TransitionItem,
  before: ReadonlyMap<string, bigint>
): { readonly row: MemoryRow | undefined; readonly moved: Moved | undefined } => {
  const rows = named(planning.view, item.target).filter((row) => isMeant(row, item.transition))
  // A key names the live row before rows that went out of service.
  const live = rows.filter((row) => isLive(row, planning.moment.now))
  const meant = live.length > 0 ? live : rows
  const [row] = meant
  if (row === undefined) {
    // It went with a source that the same write took away: it is gone, as it was asked to be.
    const along = named(planning.view, item.target).find((one) =>
      one.write_id === command.meta.write_id && wentWithSources(one)
    )
    return { row: along, moved: along === undefined ? undefined : Either.right(null) }
  }
  if (meant.length > 1) {
    return {
      row: undefined,
      moved: Either.left(ambiguous(meant))
    }
  }
  // What the write itself did to a row (a link it took away, a duplicate it brought back) is no surprise to it: neither
  // in this command nor in an earlier one of the same sweep.
  const version = before.get(row.memory_id) ?? row.version
  const isOwn = row.write_id === command.meta.write_id
  const { expected_version } = item
  const isKnown = expected_version === null || expected_version === version.toString() || isOwn ||
    (!before.has(row.memory_id) && isOnlyNamedSince(row, expected_version))
  if (!isKnown) {
    return { row, moved: Either.left(refuse("STALE_VERSION", "The memory changed since it was read")) }
  }
  return { row, moved: move(planning, command, item, row) }
}

const move = (
  planning: Planning,
  { meta }: TransitionCommand,
  { content, transition }: TransitionItem,
  row: MemoryRow
): Moved => {
  const writing = new Writing(planning, meta)
  const done = (next: MemoryRow, facts: Partial<WriteAnswer> = {}): Moved =>
    Either.right({ ...writing.planned(answerOf(meta, next, facts)), dependents: writing.dependents })
  const columns = (change: Change, changed: Partial<MemoryRow>): Moved => {
    const next = writing.add((moment) => carried(row, meta, moment, change, changed))
    return done(next, standingFacts(planning.view, next))
  }
  const locked = isLocked(row, planning.moment.now)
  const readOnly = locked && row.lock_mode === "read_only"
  switch (transition._tag) {
    case "tombstone": {
      if (locked) return Either.left(lockedFault(row))
      const ground: Ground = { rule: transition.rule, by: null, evidence: transition.reason }
      return done(tombstone(writing, row, ground, transition.change))
    }
    case "reject":
      if (row.status === "rejected") return Either.right(null)
      if (locked) return Either.left(lockedFault(row))
      return done(rejected(writing, row, transition.reason))
    case "pin":
      if (row.pinned === transition.pinned) return Either.right(null)
      // A pin is one more guard; a lock keeps the ones that are there.
      return readOnly && !transition.pinned
        ? Either.left(lockedFault(row))
        : columns("pin", { pinned: transition.pinned })
    case "lock":
      return lock(
        planning,
        row,
        transition,
        (change, changed) => columns(change, { locked_by: meta.actor, ...changed })
      )
    case "touch": {
      // A lock against deletion alone lets the expiry move away, as it does in memory.update.
      if (readOnly || (locked && isSooner(transition.expires_at, row.expires_at))) return Either.left(lockedFault(row))
      const { expire_reason = row.expire_reason, expires_at = row.expires_at } = transition
      const on_expire = transition.on_expire ??
        (expires_at !== null && row.on_expire === "" ? "tombstone" : row.on_expire)
      // Its end was written down; moved, it serves again. A sooner one finds it gone already.
      if (isExpired(row)) {
        if (expires_at !== null && expires_at <= planning.moment.now) return Either.right(null)
        const { value, value_kind } = row
        const hit = value_kind === "redacted" ? undefined : planning.blacklisted({ value, value_kind })
        if (hit !== undefined) return Either.left(blacklisted(hit))
        const back = { status: "active", tombstoned_at: null } as const
        return columns("restore", { ...back, expires_at, on_expire, expire_reason })
      }
      return row.expires_at === expires_at && row.on_expire === on_expire && row.expire_reason === expire_reason
        ? Either.right(null)
        : columns("touch", { expires_at, on_expire, expire_reason })
    }
    case "demote": {
      if (locked) return Either.left(lockedFault(row))
      const confidence = row.confidence * transition.factor
      const evidence = `its expiry lowered the confidence from ${row.confidence} to ${confidence}`
      return done(
        writing.change(row, "label", { rule: transition.rule, by: null, evidence }, { confidence, on_expire: "keep" })
      )
    }
    case "label": {
      const kept = row.tags.filter((tag) => !transition.remove_tags.includes(tag))
      const tags = [...kept, ...transition.add_tags.filter((tag) => !kept.includes(tag))]
      const entities = transition.entities ?? row.entities
      if (isSame(tags, row.tags) && isSame(entities, row.entities)) return Either.right(null)
      if (readOnly) return Either.left(lockedFault(row))
      const { rule } = transition
      const changed = { tags, entities }
      const next = rule === undefined
        ? writing.add((moment) => carried(row, meta, moment, "label", changed))
        : writing.change(row, "label", { rule, by: null, evidence: namedOn(row.version) }, changed)
      if (transition.entities !== undefined) writing.derive(next, null)
      return done(next, standingFacts(planning.view, next))
    }
    case "verify": {
      if (transition.content_sha256 !== null && transition.content_sha256 !== row.content_sha256) {
        return Either.left(
          refuse("PRECONDITION_FAILED", "The memory changed since it was looked at", {
            memory_key: row.memory_key,
            content_sha256: row.content_sha256
          })
        )
      }
      return columns("verify", {
        verified_by: transition.by,
        verified_kind: transition.kind,
        verified_sha256: row.content_sha256,
        verified_at: planning.moment.now
      })
    }
    case "accept": {
      if (content === null || content.content_sha256 !== row.content_sha256) {
        return Either.left(refuse("STALE_VERSION", "The proposal changed since it was read"))
      }
      const origin = { source_class: row.source_class, run_id: row.run_id, proposed: false }
      return Either.map(
        comingBack(planning, meta, row, content, origin, "accept"),
        ({ decision, next, writing }) => writing.planned(answerOf(meta, next, judgedFacts(meta, decision, row)))
      )
    }
    case "allow": {
      const others = row.conflict_with.filter((id) => transition.others.includes(id))
      if (others.length === 0) return Either.right(null)
      const ground = { rule: "conflicts.resolve.allow", evidence: transition.reason }
      return done(reconciled(writing, row, others, ground))
    }
    case "flag": {
      const other = planning.view.withId(transition.other)
      if (other === undefined || !isServed(row, planning.moment.now) || !isServed(other, planning.moment.now)) {
        return Either.left(refuse("STALE_VERSION", "Only memories that are served contradict each other"))
      }
      return row.conflict_with.includes(other.memory_id) && other.conflict_with.includes(row.memory_id)
        ? Either.right(null)
        : done(flagged(writing, row, other, transition))
    }
    case "unflag":
      return row.conflict_with.includes(transition.other)
        ? done(reconciled(writing, row, [transition.other], { rule: transition.rule, evidence: transition.reason }))
        : Either.right(null)
    case "retire": {
      if (locked) return Either.left(lockedFault(row))
      if (row.pinned) {
        return Either.left(refuse("PINNED_CONFLICT", "A pinned memory is not retired by another", {
          memory_key: row.memory_key
        }))
      }
      if (!canReplace(planning, transition.by, row)) {
        return Either.left(refuse("STALE_VERSION", "The memory that is to replace it no longer stands"))
      }
      writing.retire(row, { rule: transition.rule, by: transition.by, evidence: transition.reason })
      sourceLost(writing, row)
      return done(writing.current(row))
    }
    case "correct": {
      const update = correction(planning, {
        _tag: "memory.update_by_id",
        meta,
        target: { memory_key: null, memory_id: row.memory_id, agent: null, user_id: null, session_id: null },
        assumed: transition.assumed,
        content,
        statement: transition.statement,
        if_match_sha256: null
      })
      return Either.map(
        update,
        (corrected) => typeof corrected === "string" || corrected.rows.length === 0 ? null : corrected
      )
    }
    case "revert":
      return Either.flatMap(
        reverted(writing, row, transition.to),
        (next) => next === null ? Either.right(null) : done(next)
      )
    case "scrub":
      if (locked) return Either.left(lockedFault(row))
      if (row.content_sha256 !== transition.content_sha256) {
        return Either.left(refuse("STALE_VERSION", "The memory holds another value by now"))
      }
      if (isRedacted(row)) return Either.right(null)
      // Replaced by a write it may still bear what was derived from it; scrubbed it bears nothing.
      sourceLost(writing, writing.add((moment) => carried(row, meta, moment, "label", scrubbedContent)))
      return done(writing.current(row), standingFacts(planning.view, writing.current(row)))
  }
}

/** Whether another row, live by now, is there to take a row's place: nothing points at what is not there. */
const canReplace = ({ moment, view }: Planning, by: string, row: MemoryRow): boolean => {
  const other = view.withId(by)
  return other !== undefined && other.memory_id !== row.memory_id && isLive(other, moment.now)
}

const lock = (
  planning: Planning,
  row: MemoryRow,
  asked: Extract<Transition, { readonly _tag: "lock" }>,
  columns: (change: Change, changed: Partial<MemoryRow>) => Moved
): Moved => {
  const { moment: { now } } = planning
  const strict = { "": 0, no_delete: 1, read_only: 2 }
  const stands = isLocked(row, now)
  const endsEarlier = asked.until !== null && (row.lock_until === null || asked.until < row.lock_until)
  const loosens = stands && (strict[asked.mode] < strict[row.lock_mode] || endsEarlier)
  if (loosens && !asked.mayLoosen) {
    return Either.left(
      refuse("LOCKED", "Only an admin loosens a lock", {
        memory_key: row.memory_key,
        lock_mode: row.lock_mode,
        lock_until: row.lock_until === null ? null : new Date(row.lock_until).toISOString(),
        reason: row.lock_reason
      })
    )
  }
  const next = asked.mode === ""
    ? { lock_mode: "", lock_until: null, lock_reason: "", locked_by: "" } as const
    : { lock_mode: asked.mode, lock_until: asked.until, lock_reason: asked.reason }
  return row.lock_mode === next.lock_mode && row.lock_until === next.lock_until && row.lock_reason === next.lock_reason
    ? Either.right(null)
    : columns("lock", next)
}
