/**
 * The look of a language model at the pairs of each row: one call a row, for its close peers, those it contradicts and the
 * rows of its key from other sessions. What comes of a verdict is `ConflictVerdict`'s; a row that moved since it was shown
 * is left when it says something else by now, since its own change comes by itself.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scope } from "../src/kernel/Identity.ts"
import { ANONYMOUS } from "../src/kernel/Identity.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import type { NamespaceRules } from "../src/memory/ActorRules.ts"
import type { MemoryClient } from "../src/memory/MemoryClient.ts"
import { isServed } from "../src/memory/MemoryModel.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import type { LanguageModel } from "../src/platform/LanguageModel.ts"
import { change, NAME, pastOf, wasAllowed } from "./ConflictChange.ts"
import type { Pair } from "./ConflictPeers.ts"
import { verdictsOn } from "./ConflictPrompt.ts"
import type { PeerVerdict } from "./ConflictPrompt.ts"
import { outcomeOf } from "./ConflictVerdict.ts"
import type { Side } from "./ConflictVerdict.ts"

// Calls under way at once: what a model of one's own serves side by side without each taking longer.
const AT_ONCE = 4

// More than lie close to a row; what contradicts more than that takes another call.
const MOST_PEERS = 16

// A row's flags may change while its pairs are settled one by one; each turn reads the pair again.
const TURNS = 3

interface Question {
  readonly row: MemoryRow
  readonly peers: ReadonlyArray<MemoryRow>
}

/** Sessions of the anonymous user are separate tasks: rows of one key in two of them are not held against each other. */
const isOneTask = ([left, right]: Pair["rows"]): boolean =>
  left.user_id !== ANONYMOUS || left.memory_key !== right.memory_key || left.session_id === right.session_id

export const judgePairs = (
  scope: Scope,
  pairs: ReadonlyArray<Pair>,
  rules: NamespaceRules,
  now: number
): Effect.Effect<void, LoomError, MemoryClient | MemoryReview | LanguageModel> =>
  Effect.gen(function*() {
    const sides = new Map<string, Side>()
    const sideOf = (row: MemoryRow) =>
      Effect.gen(function*() {
        const known = sides.get(row.memory_id)
        if (known !== undefined) return known
        const side: Side = { row, past: yield* pastOf(scope, row), policy: rules.rulesFor(row).conflictPolicy }
        sides.set(row.memory_id, side)
        return side
      })
    const questions = new Map<string, { readonly row: MemoryRow; readonly peers: Array<MemoryRow> }>()
    for (const { rows: [left, right] } of pairs.filter(({ rows }) => isOneTask(rows))) {
      if (wasAllowed(yield* sideOf(left), yield* sideOf(right))) continue
      const question = questions.get(left.memory_id)
      if (question === undefined) questions.set(left.memory_id, { row: left, peers: [right] })
      else question.peers.push(right)
    }
    const asked = yield* Effect.forEach(
      [...questions.values()].flatMap(({ peers, row }) =>
        Arr.chunksOf(peers, MOST_PEERS).map((some): Question => ({ row, peers: some }))
      ),
      (question) =>
        Effect.map(
          Effect.either(verdictsOn(scope, question.row, question.peers)),
          (verdicts) => ({ question, verdicts })
        ),
      { concurrency: AT_ONCE }
    )
    for (const { question, verdicts } of asked) {
      if (Either.isRight(verdicts)) yield* settle(scope, question, verdicts.right, sideOf, now)
    }
    // What was answered is done; the rest comes again with the batch.
    for (const { verdicts } of asked) if (Either.isLeft(verdicts)) return yield* Effect.fail(verdicts.left)
  })

const settle = (
  scope: Scope,
  { peers, row }: Question,
  verdicts: ReadonlyMap<number, PeerVerdict>,
  sideOf: (row: MemoryRow) => Effect.Effect<Side, LoomError, MemoryReview>,
  now: number
) =>
  Effect.gen(function*() {
    for (const [at, peer] of peers.entries()) {
      const verdict = verdicts.get(at)
      if (verdict === undefined) continue
      for (let turn = 0; turn < TURNS; turn++) {
        const pair = yield* asShown(scope, row, peer, now)
        if (pair === null) break
        const [left, right] = pair
        const outcome = outcomeOf(
          { ...(yield* sideOf(row)), row: left },
          { ...(yield* sideOf(peer)), row: right },
          verdict,
          now
        )
        if (outcome._tag === "leave") break
        const versions = new Map<string, string>()
        const { reason } = outcome
        const done = outcome._tag === "retire"
          ? yield* change(scope, [outcome.older, outcome.newer], {
            _tag: "retire",
            by: outcome.newer.memory_id,
            rule: `${NAME}.update`,
            reason
          }, versions)
          : yield* change(
            scope,
            pair,
            outcome._tag === "flag"
              ? { _tag: "flag", other: right.memory_id, rule: "model", reason }
              : { _tag: "unflag", other: right.memory_id, rule: `${NAME}.clear`, reason },
            versions
          )
        if (done) break
      }
    }
  })

/** The two rows as they stand now, when both are served and say what was shown; null when one of them moved on. */
const asShown = (scope: Scope, row: MemoryRow, peer: MemoryRow, now: number) =>
  Effect.gen(function*() {
    const review = yield* MemoryReview
    const rows = yield* review.named(scope, null, { ids: [row.memory_id, peer.memory_id], keys: [] })
    const find = (shown: MemoryRow) =>
      rows.find((one) =>
        one.memory_id === shown.memory_id && one.content_sha256 === shown.content_sha256 && isServed(one, now) &&
        one.sensitivity !== "high"
      )
    const [left, right] = [find(row), find(peer)]
    return left === undefined || right === undefined ? null : [left, right] as const
  })
