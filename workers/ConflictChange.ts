/**
 * How the resolver changes a pair: one command with the versions of both rows as they were compared, all or nothing. And
 * what the past of a pair says: whether a person decided that both hold.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "../src/kernel/Identity.ts"
import type { LoomError, StoreError } from "../src/kernel/LoomError.ts"
import { causeIn } from "../src/memory/MemoryCause.ts"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import type { Transition, TransitionItem } from "../src/memory/MemoryCommand.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { idTarget } from "../src/memory/MemoryRequest.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import type { VersionFacts } from "../src/memory/MemoryReview.ts"
import { metaOf } from "./WorkerMeta.ts"

export const NAME = "conflict_resolver"

// A decision of a person about a pair is among the last changes of its rows.
const PAST = 200

export const pastOf = (
  scope: Scope,
  row: MemoryRow
): Effect.Effect<ReadonlyArray<VersionFacts>, StoreError, MemoryReview> =>
  Effect.flatMap(MemoryReview, (review) => review.versions(scope, row, PAST))

interface Remembered {
  readonly row: MemoryRow
  readonly past: ReadonlyArray<VersionFacts>
}

/** Whether a person decided that both hold, of what both say now. */
export const wasAllowed = (left: Remembered, right: Remembered): boolean => {
  const writes = ({ past, row }: Remembered) =>
    past.filter(({ change, content_sha256 }) => change === "unflag" && content_sha256 === row.content_sha256)
  const decided = (past: Remembered["past"], other: MemoryRow) =>
    past.filter(({ cause }) => {
      const because = causeIn(cause)
      return because?.rule === "conflicts.resolve.allow" && because.memory_id === other.memory_id
    })
  const [ours, theirs] = [writes(left), writes(right)]
  const both = new Set(theirs.map(({ write_id }) => write_id))
  return [...decided(ours, right.row), ...decided(theirs, left.row)].some(({ write_id }) =>
    both.has(write_id) && ours.some((one) => one.write_id === write_id)
  )
}

/**
 * Changes the left row, while the right one stands as it was compared. False when one of them moved on. `versions` tells
 * what this batch itself made of a row, which is no surprise to it, and is kept up.
 */
export const change = (
  scope: Scope,
  [left, right]: readonly [MemoryRow, MemoryRow],
  transition: Transition,
  versions: Map<string, string>
): Effect.Effect<boolean, LoomError, MemoryClient> =>
  Effect.gen(function*() {
    const item = (row: MemoryRow, asked: Transition): TransitionItem => ({
      target: idTarget(row),
      expected_version: versions.get(row.memory_id) ?? row.version.toString(),
      content: null,
      transition: asked
    })
    const { results } = yield* (yield* MemoryClient).transition(scope, {
      _tag: "memory.transition",
      meta: yield* metaOf(NAME),
      atomic: true,
      items: [item(right, { _tag: "allow", others: [], reason: "" }), item(left, transition)]
    })
    for (const { answer, memory_id, outcome } of results) {
      if (outcome === "changed" && memory_id !== null && answer !== null) versions.set(memory_id, answer.version_text)
    }
    return results.every(({ code }) => code !== "STALE_VERSION")
  })
