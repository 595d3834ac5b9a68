/**
 * The second look at contradictions. Of every row that was written or is contested it compares the pairs again, as the
 * judge does: a contradiction that was missed (a peer that was not nominated, thresholds or vectors that were others then)
 * is flagged on both sides, one that is none by now is cleared, everything else is left. Without a language model it
 * retires nothing; with one the model judges the pairs of a row in one call (`ConflictModel`). What a person allowed stays
 * allowed, what is never judged (append_only) is not touched, nor without a model what people review (manual_review), and a
 * row that changed meanwhile is left to its next change.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../src/kernel/Identity.ts"
import type { LoomError, StoreError } from "../src/kernel/LoomError.ts"
import { ActorRules } from "../src/memory/ActorRules.ts"
import type { BeliefSources } from "../src/memory/BeliefSources.ts"
import type { MemoryClient } from "../src/memory/MemoryClient.ts"
import type { MemoryIntake } from "../src/memory/MemoryIntake.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import type { MemoryStore } from "../src/memory/MemoryStore.ts"
import { WritePolicy } from "../src/memory/WritePolicy.ts"
import { LanguageModel } from "../src/platform/LanguageModel.ts"
import type { FeedChange } from "../src/work/ChangeFeed.ts"
import { change, NAME, pastOf, wasAllowed } from "./ConflictChange.ts"
import { judgePairs } from "./ConflictModel.ts"
import { isCompared, linked, pairsFor, secondLook } from "./ConflictPeers.ts"
import type { Pair } from "./ConflictPeers.ts"
import * as Worker from "./Worker.ts"

export { NAME } from "./ConflictChange.ts"

// A search for peers scans the vectors of a user: as many as keep a batch below a few seconds in a large namespace.
const BATCH = 64
// Each may take a call of some seconds, and a batch is to end within its time.
const MODEL_BATCH = 16
// One fifth of the time: searches and writes of callers come first.
const SHARE = 0.2

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

// A model is asked again only about what says something else by now, or under another policy: a flag of its own is neither.
const worthAModel = worthALook.filter((change) => change !== "flag" && change !== "unflag")

/** Looks again at the rows of these changes. */
export const resolve = (
  scope: Scope,
  changes: ReadonlyArray<FeedChange>
): Effect.Effect<
  void,
  LoomError,
  | MemoryClient
  | MemoryReview
  | MemoryStore
  | MemoryIntake
  | BeliefSources
  | ActorRules
  | WritePolicy
  | LanguageModel
> =>
  Effect.gen(function*() {
    const looker = (yield* LanguageModel).model === null ? "judge" : "model"
    const worth = looker === "model" ? worthAModel : worthALook
    const seen = new Map(
      changes
        .filter(({ change, status }) => (status === "active" || status === "conflicted") && worth.includes(change))
        .map(({ memory_id, version }) => [memory_id, version])
    )
    if (seen.size === 0) return
    const review = yield* MemoryReview
    const policy = yield* WritePolicy
    const rules = yield* (yield* ActorRules).read(scope, "identity")
    const now = yield* Clock.currentTimeMillis
    const heads = yield* review.named(scope, null, { ids: [...seen.keys()], keys: [] })
    // A later change that is worth a look comes by itself.
    const isLast = ({ change, memory_id, version }: MemoryRow) =>
      !worth.includes(change) || version <= (seen.get(memory_id) ?? 0n)
    const rows = heads.filter((row) => isLast(row) && isCompared(row, rules, now, looker))
    if (rows.length === 0) return
    const pairs = yield* pairsFor(scope, rows, rules, now, looker)
    if (looker === "model") return yield* judgePairs(scope, pairs, rules, now)
    // What this batch itself made of a row is no surprise to it.
    const versions = new Map<string, string>()
    for (const pair of pairs) {
      const verdict = secondLook(policy, pair, rules, now)
      const [left, right] = pair.rows
      if (verdict._tag === "conflict" && !linked(left, right) && !(yield* isAllowed(scope, pair))) {
        const { reason, rule } = verdict.peer
        yield* change(scope, pair.rows, { _tag: "flag", other: right.memory_id, rule, reason }, versions)
      }
      if (verdict._tag === "clear" && linked(left, right)) {
        const transition = { other: right.memory_id, rule: `${NAME}.clear`, reason: "compared again, they agree" }
        yield* change(scope, pair.rows, { _tag: "unflag", ...transition }, versions)
      }
    }
  })

/** Whether a person decided that both hold, of what both say now. */
const isAllowed = (
  scope: Scope,
  { rows: [left, right] }: Pair
): Effect.Effect<boolean, StoreError, MemoryReview> =>
  Effect.map(
    Effect.all([pastOf(scope, left), pastOf(scope, right)]),
    ([leftPast, rightPast]) => wasAllowed({ row: left, past: leftPast }, { row: right, past: rightPast })
  )

/** The worker: one for an installation. Waiting for a model takes nothing from callers. */
export const make = (pace: Partial<Worker.Pace> = {}) => (host: Worker.Host) =>
  Layer.unwrapEffect(Effect.map(LanguageModel, ({ model }) =>
    Worker.make({
      name: NAME,
      batch: model === null ? BATCH : MODEL_BATCH,
      run: ({ changes, scope }) => resolve(scope, changes),
      pace: { share: model === null ? SHARE : 1, ...pace }
    })(host)))
