/**
 * How a claim that was out of service comes back, pure: it is judged like a new one, but retires nothing, and what went
 * with it as the last of its sources comes back with it. A derived row comes back for its own sake only while a source of
 * it is there.
 */
import * as Either from "effect/Either"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import { answerOf, judgedFacts } from "./MemoryAnswer.ts"
import type { RestoreCommand, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { awaiting, borneBy, kin, lacking, sourceBack } from "./MemoryDependents.ts"
import { carried } from "./MemoryDraft.ts"
import { judgeClaim } from "./MemoryJudging.ts"
import { isEnded, isExpired } from "./MemoryModel.ts"
import type { Change, MemoryRow } from "./MemoryModel.ts"
import { hintOf } from "./MemoryPlanRevival.ts"
import { ambiguous, isAssumed, named, stale } from "./MemoryPlanTarget.ts"
import { standing } from "./MemoryRecast.ts"
import type { MemoryRestore } from "./MemoryVerbs.ts"
import { nothing, Writing } from "./MemoryWriting.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import type { Decision } from "./WritePolicy.ts"

type RestoreAnswer = Answer<typeof MemoryRestore>

// How long a delete can be undone: the page's recovery window.
const RESTORE_WINDOW_MILLIS = 14 * 24 * 60 * 60 * 1000

export const planRestore = (
  planning: Planning,
  command: RestoreCommand
): Either.Either<Planned<RestoreAnswer>, Refusal> => {
  const { moment } = planning
  const { content, meta } = command
  const rows = named(planning.view, command.target)
  const gone = rows.filter((row) => (row.status === "tombstoned" && !isExpired(row)) || row.status === "superseded")
  const row = gone[0]
  if (row === undefined) {
    const expired = rows.some((one) => isExpired(one) || isEnded(one, moment.now))
    return Either.right(nothing({
      found: rows.length > 0,
      restored: false,
      reason: expired ? "expired" : rows.length > 0 ? "not_deleted" : "not_found",
      next: hintOf(rows),
      degraded: meta.degraded
    }))
  }
  if (gone.length > 1) return Either.left(ambiguous(gone))
  const age = moment.now - (row.tombstoned_at ?? row.updated_at)
  if (row.status === "tombstoned" && age > RESTORE_WINDOW_MILLIS) {
    return Either.left(refuse("RESTORE_WINDOW_PASSED", "The memory was deleted more than 14 days ago", {
      memory_key: row.memory_key,
      tombstoned_at: new Date(row.tombstoned_at ?? row.updated_at).toISOString()
    }))
  }
  if (content === null || !isAssumed(row, command.assumed) || content.content_sha256 !== row.content_sha256) {
    return Either.left(stale())
  }
  const proposed = command.proposed === true
  const writing = new Writing(planning, meta)
  const own = row.source_class === "derived" ? planning.supports.of(row) : undefined
  const borne = own === undefined ? "all" : borneBy(writing, own)
  if (borne === "none") {
    return Either.left(
      refuse("PRECONDITION_FAILED", "None of the memories it was derived from is left; memory.set states it outright", {
        memory_key: row.memory_key
      })
    )
  }
  const origin = { source_class: "asserted", run_id: row.run_id, proposed } as const
  return Either.flatMap(revived(writing, row, content, origin, "restore"), ({ decision, next }) => {
    if (borne === "some") lacking(writing, next, null)
    const back = sourceReturned(writing, next, command)
    return Either.map(back, (dependents) =>
      writing.planned({
        found: true,
        restored: true,
        reason: null,
        ...answerOf(meta, writing.current(next), {
          ...judgedFacts(meta, decision, row),
          advisories: [
            ...meta.advisories,
            ...(proposed ? ["It was an open proposal and is one again: memory.proposal_decide decides it"] : []),
            ...(isEnded(next, moment.now)
              ? ["Its expiry or validity has ended: no read serves it until memory.touch or memory.update"]
              : []),
            ...(borne === "some" ? ["A memory it was derived from is not there: it is contested until it is"] : [])
          ]
        }),
        ...(dependents === 0 ? {} : { dependents_restored: dependents })
      }))
  })
}

/** What went with a source comes back with it; how many rows did. Refused when one of them was not prepared. */
const sourceReturned = (
  writing: Writing,
  source: MemoryRow,
  { dependents = [] }: RestoreCommand
): Either.Either<number, Refusal> => {
  let count = 0
  for (const { row, support } of awaiting(writing, source)) {
    const content = dependents.find(({ memory_id }) => memory_id === row.memory_id)?.content
    if (content === undefined || content.content_sha256 !== row.content_sha256) return Either.left(stale())
    const origin = { source_class: "asserted", run_id: row.run_id, proposed: false } as const
    const back = revived(writing, row, content, origin, "restore")
    // What may not be said any more stays away, and keeps nothing else from coming back.
    if (Either.isLeft(back)) continue
    if (borneBy(writing, support) !== "all") lacking(writing, back.right.next, source.memory_id)
    count += 1
  }
  sourceBack(writing, source)
  return Either.right(count)
}

interface Origin {
  readonly source_class: MemoryRow["source_class"]
  readonly run_id: string
  readonly proposed: boolean
}

interface Revived {
  readonly decision: Decision
  readonly next: MemoryRow
}

/**
 * A claim that was out of service is judged like a new one, but retires nothing: both sides then stay to be seen. One that
 * comes back as a proposal touches no other row.
 */
const revived = (
  writing: Writing,
  row: MemoryRow,
  content: Content,
  origin: Origin,
  change: Change
): Either.Either<Revived, Refusal> =>
  Either.map(
    judgeClaim(writing.planning, {
      writer: row,
      own: undefined,
      content,
      tags: row.tags,
      mayReplacePinned: true,
      pins: row.pinned,
      revives: true,
      valid_at: row.valid_at,
      expires_at: row.expires_at,
      valid_to: row.valid_to,
      if_match_sha256: null,
      byContent: false,
      states: false,
      kin: kin(writing, row),
      isBorne: row.source_class === "derived" && writing.planning.supports.of(row) !== undefined,
      ...origin
    }),
    ({ decision }) => {
      const next = writing.add((moment) =>
        carried(row, writing.meta, moment, change, {
          ...standing({ status: origin.proposed ? "proposed" : "active" }, decision, moment.now),
          tombstoned_at: null
        })
      )
      writing.derive(next, content)
      if (decision._tag === "Insert" && next.status !== "proposed") writing.flag(next, decision.conflicts)
      return { decision, next }
    }
  )

/** A claim comes back by itself: an accepted proposal. */
export const comingBack = (
  planning: Planning,
  meta: WriteMeta,
  row: MemoryRow,
  content: Content,
  origin: Origin,
  change: Change
): Either.Either<Revived & { readonly writing: Writing }, Refusal> => {
  const writing = new Writing(planning, meta)
  return Either.map(revived(writing, row, content, origin, change), (back) => ({ ...back, writing }))
}
