/**
 * The kinds of the review queue that are rows of memory: contradictions, proposals, attestations that an edit made stale.
 * A bound token is shown its own user's. High-sensitivity values, and reasons that quote them, are withheld.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../kernel/Caller.ts"
import { pairId, pairsOf } from "./ConflictPairs.ts"
import type { ConflictPair } from "./ConflictPairs.ts"
import { ConflictsResolve } from "./ConflictVerbs.ts"
import { MemoryVerify } from "./LifecycleVerbs.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReview } from "./MemoryReview.ts"
import type { StandingKind } from "./MemoryReview.ts"
import { viewOf } from "./MemoryViews.ts"
import { MemoryProposalDecide } from "./ProposalVerbs.ts"
import { ageOf } from "./ReviewQueueModel.ts"
import type { ReviewItem, ReviewLook, ReviewSide, ReviewSource, ReviewStep } from "./ReviewQueueModel.ts"

type Review = MemoryReview["Type"]

const everybody = (_: Caller): boolean => true

const sideOf = (row: MemoryRow, now: number): ReviewSide => {
  const view = viewOf(row, { now, reveal: false, previewCharacters: null })
  const { agent, content_sha256, memory_id, memory_key, memory_type, session_id, status, user_id } = view
  const { actor, source_class, updated_at, value, verification, version_text } = view
  return {
    memory_id,
    memory_key,
    agent,
    user_id,
    session_id,
    status,
    memory_type,
    value,
    ...(view.value_withheld === true ? { value_withheld: true } : {}),
    content_sha256,
    version_text,
    updated_at,
    actor,
    source_class,
    verification
  }
}

// ---- contradictions ------------------------------------------------------------------------------------------------

/** Three ways out of a contradiction, each for the rows as they were shown. */
const conflictSteps = (
  { namespace }: ReviewLook["scope"],
  sides: readonly [MemoryRow, MemoryRow]
): ReadonlyArray<ReviewStep> => {
  const versions = Object.fromEntries(sides.map((row) => [row.memory_id, row.version.toString()]))
  const step = (action: "revise" | "allow" | "contract", side: 1 | 2, what: string): ReviewStep => {
    const [named, other] = side === 1 ? sides : [sides[1], sides[0]]
    const request = {
      namespace,
      action,
      memory_id: named.memory_id,
      with_ids: [other.memory_id],
      if_match_sha256: named.content_sha256,
      versions
    }
    return { action, side: action === "allow" ? null : side, what, verb: ConflictsResolve.tag, request }
  }
  return [
    step("revise", 1, "the first holds, the second is taken out of service"),
    step("revise", 2, "the second holds, the first is taken out of service"),
    step("allow", 1, "both hold"),
    step("contract", 1, "the first is wrong and taken out of service"),
    step("contract", 2, "the second is wrong and taken out of service")
  ]
}

const isHigh = ({ sensitivity }: MemoryRow): boolean => sensitivity === "high"

const conflictItem = (
  pair: ConflictPair,
  rows: ReadonlyMap<string, MemoryRow>,
  { now, scope }: ReviewLook
): ReadonlyArray<ReviewItem> => {
  const [first, second] = pair.sides.map(({ memory_id }) => rows.get(memory_id))
  if (first === undefined || second === undefined) return []
  const { cause } = pair
  const told = isHigh(first) || isHigh(second) || cause === null || cause.evidence === "" ? "" : `: ${cause.evidence}`
  return [{
    id: pairId(pair),
    ...ageOf(pair.at, now),
    why: `The two contradict each other (${cause?.rule ?? "no rule is told"})${told}`,
    sides: [sideOf(first, now), sideOf(second, now)],
    steps: conflictSteps(scope, [first, second])
  }]
}

const conflicts = (review: Review): ReviewSource => ({
  kind: "conflicts",
  what: "Pairs of memories that contradict each other; both are served until somebody decides.",
  next: "conflicts.resolve: revise, allow or contract; conflicts.list pages through them",
  isOpen: everybody,
  look: (look) =>
    Effect.gen(function*() {
      const { caller: { boundUser }, limit, now, scope } = look
      const links = yield* review.conflictLinks(scope, boundUser, now)
      const newestFirst = pairsOf(links, { memory_key: null, memory_type: null, until: null })
      const pairs = [...newestFirst].reverse()
      const page = pairs.slice(0, limit)
      const ids = [...new Set(page.flatMap(({ sides }) => sides.map(({ memory_id }) => memory_id)))]
      const named = ids.length === 0 ? [] : yield* review.named(scope, boundUser, { ids, keys: [] })
      const rows = new Map(named.map((row) => [row.memory_id, row]))
      return {
        count: pairs.length,
        oldest: pairs.length === 0 ? null : Math.min(...pairs.map(({ at }) => at)),
        items: page.flatMap((pair) => conflictItem(pair, rows, look))
      }
    })
})

// ---- single rows ----------------------------------------------------------------------------------------------------

interface RowKind extends Pick<ReviewSource, "kind" | "what" | "next"> {
  readonly standing: StandingKind
  /** Since when a row waits (milliseconds). */
  readonly since: (row: MemoryRow) => number
  readonly why: (row: MemoryRow) => string
  readonly steps: (row: MemoryRow) => ReadonlyArray<ReviewStep>
}

const rowSource = (review: Review, { kind, next, since, standing, steps, what, why }: RowKind): ReviewSource => ({
  kind,
  what,
  next,
  isOpen: everybody,
  look: ({ caller: { boundUser }, limit, now, scope }) =>
    Effect.map(review.standingBy(scope, boundUser, now, { kind: standing, limit }), ({ count, oldest, rows }) => ({
      count,
      oldest,
      items: rows.map((row) => ({
        id: row.memory_id,
        ...ageOf(since(row), now),
        why: why(row),
        sides: [sideOf(row, now)],
        steps: steps(row)
      }))
    }))
})

const proposals: RowKind = {
  kind: "proposals",
  what: "Facts on trial, which no search finds until somebody accepts them.",
  next: "memory.proposal_decide: accept or reject; memory.proposals pages through them",
  standing: "proposed",
  since: ({ created_at }) => created_at,
  why: ({ actor, conflict_with }) =>
    `Proposed by ${actor}${
      conflict_with.length === 0 ? "" : `; it contradicts ${conflict_with.length} of the rows in service`
    }`,
  steps: ({ memory_id, namespace }) => {
    const step = (decision: "accept" | "reject", what: string): ReviewStep => ({
      action: decision,
      side: null,
      what,
      verb: MemoryProposalDecide.tag,
      request: { namespace, memory_id, decision }
    })
    return [step("accept", "take it into service"), step("reject", "mark it as wrong")]
  }
}

const staleAttestations: RowKind = {
  kind: "stale_attestations",
  what: "Memories that somebody vouched for and that were edited since.",
  next: "memory.verify, when what they say now is right; memory.history shows what was vouched for",
  standing: "stale",
  since: ({ updated_at }) => updated_at,
  why: ({ actor, verified_by }) => `${verified_by} vouched for what it said before; ${actor} changed it`,
  steps: ({ content_sha256, memory_id, namespace }) => [{
    action: "verify",
    side: null,
    what: "vouch for what it says now",
    verb: MemoryVerify.tag,
    request: { namespace, memory_id, content_sha256 }
  }]
}

/** The kinds that are rows of memory. */
export const make: Effect.Effect<ReadonlyArray<ReviewSource>, never, MemoryReview> = Effect.map(
  MemoryReview,
  (review) => [conflicts(review), rowSource(review, proposals), rowSource(review, staleAttestations)]
)
