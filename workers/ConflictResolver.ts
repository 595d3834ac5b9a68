/**
 * The second look at contradictions. Of every row that was written or is contested it compares the pairs again, as the
 * judge does: a contradiction that was missed (a peer that was not nominated, thresholds or vectors that were others then)
 * is flagged on both sides, one that is none by now is cleared, everything else is left. Without a language model it
 * retires nothing. What a person allowed stays allowed, what is to be reviewed by people (manual_review) or never judged
 * (append_only) is not touched, and a row that changed meanwhile is left to its next change.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "../src/kernel/Identity.ts"
import { mintWriteId } from "../src/kernel/Ids.ts"
import type { LoomError, StoreError } from "../src/kernel/LoomError.ts"
import { ActorRules } from "../src/memory/ActorRules.ts"
import { causeIn } from "../src/memory/MemoryCause.ts"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import type { Transition, TransitionItem, WriteMeta } from "../src/memory/MemoryCommand.ts"
import type { MemoryIntake } from "../src/memory/MemoryIntake.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { idTarget } from "../src/memory/MemoryRequest.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import type { MemoryStore } from "../src/memory/MemoryStore.ts"
import { WritePolicy } from "../src/memory/WritePolicy.ts"
import type { FeedChange } from "../src/work/ChangeFeed.ts"
import { isCompared, linked, pairsFor, secondLook } from "./ConflictPeers.ts"
import type { Pair } from "./ConflictPeers.ts"
import * as Worker from "./Worker.ts"

export const NAME = "conflict_resolver"

// A search for peers scans the vectors of a user: as many as keep a batch below a few seconds in a large namespace.
const BATCH = 64
// One fifth of the time: searches and writes of callers come first.
const SHARE = 0.2
// A decision of a person about a pair is among the last changes of its rows.
const PAST = 200

const worthALook: ReadonlyArray<string> = [
  "create",
  "revise",
  "correct",
  "restore",
  "accept",
  "rollback",
  // Tags bring policies.
  "label",
  "flag",
  "unflag"
]

const isWorthALook = ({ change, status }: FeedChange): boolean =>
  (status === "active" || status === "conflicted") && worthALook.includes(change)

/** Looks again at the rows of these changes. */
export const resolve = (
  scope: Scope,
  changes: ReadonlyArray<FeedChange>
): Effect.Effect<
  void,
  LoomError,
  MemoryClient | MemoryReview | MemoryStore | MemoryIntake | ActorRules | WritePolicy
> =>
  Effect.gen(function*() {
    const seen = new Map(changes.filter(isWorthALook).map(({ memory_id, version }) => [memory_id, version]))
    if (seen.size === 0) return
    const review = yield* MemoryReview
    const policy = yield* WritePolicy
    const rules = yield* (yield* ActorRules).read(scope, "identity")
    const now = yield* Clock.currentTimeMillis
    const heads = yield* review.named(scope, null, { ids: [...seen.keys()], keys: [] })
    // A later change that is worth a look comes by itself.
    const isLast = ({ change, memory_id, version }: MemoryRow) =>
      !worthALook.includes(change) || version <= (seen.get(memory_id) ?? 0n)
    const rows = heads.filter((row) => isLast(row) && isCompared(row, rules, now))
    if (rows.length === 0) return
    // What this batch itself made of a row is no surprise to it.
    const versions = new Map<string, string>()
    for (const pair of yield* pairsFor(scope, rows, rules, now)) {
      const verdict = secondLook(policy, pair, rules, now)
      const [left, right] = pair.rows
      if (verdict._tag === "conflict" && !linked(left, right) && !(yield* isAllowed(scope, pair))) {
        const { reason, rule } = verdict.peer
        yield* change(scope, pair, { _tag: "flag", other: right.memory_id, rule, reason }, versions)
      }
      if (verdict._tag === "clear" && linked(left, right)) {
        const transition = { other: right.memory_id, rule: `${NAME}.clear`, reason: "compared again, they agree" }
        yield* change(scope, pair, { _tag: "unflag", ...transition }, versions)
      }
    }
  })

/** Whether a person decided that both hold, of what both say now. */
const isAllowed = (
  scope: Scope,
  { rows: [left, right] }: Pair
): Effect.Effect<boolean, StoreError, MemoryReview> =>
  Effect.gen(function*() {
    const review = yield* MemoryReview
    const [leftPast, rightPast] = yield* Effect.all([
      review.versions(scope, left, PAST),
      review.versions(scope, right, PAST)
    ])
    const writes = (past: typeof leftPast, row: MemoryRow) =>
      past.filter(({ change, content_sha256 }) => change === "unflag" && content_sha256 === row.content_sha256)
    const decided = (past: typeof leftPast, other: MemoryRow) =>
      past.filter(({ cause }) => {
        const because = causeIn(cause)
        return because?.rule === "conflicts.resolve.allow" && because.memory_id === other.memory_id
      })
    const [ours, theirs] = [writes(leftPast, left), writes(rightPast, right)]
    const both = new Set(theirs.map(({ write_id }) => write_id))
    return [...decided(ours, right), ...decided(theirs, left)].some(({ write_id }) =>
      both.has(write_id) && ours.some((one) => one.write_id === write_id)
    )
  })

const meta = Effect.map(mintWriteId, (write_id): WriteMeta => ({
  write_id,
  idem_hash: "",
  payload_hash: "",
  actor: `process:${NAME}`,
  bound_user: null,
  source_class: "derived",
  run_id: "",
  dry_run: false,
  advisories: [],
  degraded: []
}))

/** Sends one change with the versions of both rows as they were compared; one that moved on is left to its next change. */
const change = (
  scope: Scope,
  { rows: [left, right] }: Pair,
  transition: Transition,
  versions: Map<string, string>
): Effect.Effect<void, LoomError, MemoryClient> =>
  Effect.gen(function*() {
    const item = (row: MemoryRow, asked: Transition): TransitionItem => ({
      target: idTarget(row),
      expected_version: versions.get(row.memory_id) ?? row.version.toString(),
      content: null,
      transition: asked
    })
    const { results } = yield* (yield* MemoryClient).transition(scope, {
      _tag: "memory.transition",
      meta: yield* meta,
      atomic: true,
      items: [item(right, { _tag: "allow", others: [], reason: "" }), item(left, transition)]
    })
    for (const { answer, memory_id, outcome } of results) {
      if (outcome === "changed" && memory_id !== null && answer !== null) versions.set(memory_id, answer.version_text)
    }
  })

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.make({
    name: NAME,
    batch: BATCH,
    run: ({ changes, scope }) => resolve(scope, changes),
    pace: { share: SHARE, ...pace }
  })
