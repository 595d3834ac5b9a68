/**
 * Names the things that memories mention. Of every row that was written it reads the head; where the writer left the entities
 * empty it fills in what the value names (`NamedThings`), and what it filled before is made anew when the value changes.
 * What a writer stated is never touched, nor is a row under a read_only lock. A row whose value is withheld gets none, and
 * loses those that were derived before it was. Next: `NamedThingSource` (how it knows who filled them), ADR 0026.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import { Unavailable } from "../src/kernel/LoomError.ts"
import type { LoomError, StoreError } from "../src/kernel/LoomError.ts"
import { causeIn } from "../src/memory/MemoryCause.ts"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import type { TransitionItem } from "../src/memory/MemoryCommand.ts"
import { MemoryIntake } from "../src/memory/MemoryIntake.ts"
import { isRedacted, isServed } from "../src/memory/MemoryModel.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { MemoryReader } from "../src/memory/MemoryReader.ts"
import { idTarget } from "../src/memory/MemoryRequest.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import { isSearchable } from "../src/memory/MemoryType.ts"
import { namedThings, textOfValue } from "../src/memory/NamedThings.ts"
import { DERIVED_ENTITIES, sameNames, sourceOf } from "../src/memory/NamedThingSource.ts"
import type { FeedChange } from "../src/work/ChangeFeed.ts"
import * as Worker from "./Worker.ts"
import { metaOf } from "./WorkerMeta.ts"

export const NAME = "entity_extractor"

// One command for all of them, below the 500 items that it may hold; the rules take a millisecond for each row at most.
const BATCH = 256
// One fifth of the time: searches and writes of callers come first.
const SHARE = 0.2
// A row that others write to all the time is taken up again with the next batch.
const TRIES = 5
// Most lists are as old as the last few versions; a longer history is read page by page, and what lies still further back
// is held for the writer's.
const PAGE = 20
const MOST_PAGES = 50

/** What may leave a row without entities, or with those of another value. */
const worthALook: ReadonlyArray<string> = [
  "create",
  "revise",
  "correct",
  "restate",
  "merge",
  "restore",
  "accept",
  "rollback",
  "repair",
  // Entities that were cleared, another type or sensitivity.
  "label",
  // A lock that is no more, an end that was moved.
  "lock",
  "touch"
]

// What a write under the key itself brought: its entities are the ones that it stated.
const STATING: ReadonlyArray<string> = ["create", "revise"]

const isWorthALook = ({ cause, change, status }: FeedChange): boolean =>
  (status === "active" || status === "conflicted") && worthALook.includes(change) &&
  causeIn(cause)?.rule !== DERIVED_ENTITIES

type Needs = MemoryClient | MemoryReview | MemoryReader | MemoryIntake

/** Fills in the entities of the rows of these changes. */
export const extract = (
  scope: Scope,
  changes: ReadonlyArray<FeedChange>
): Effect.Effect<void, LoomError, Needs> =>
  Effect.gen(function*() {
    const seen = changes.filter(isWorthALook)
    // A row that was only stated anew since nobody filled it has no list of another value to lose.
    const mayCarry = new Set(
      seen.filter(({ change }) => !STATING.includes(change)).map(({ memory_id }) => memory_id)
    )
    let ids = [...new Set(seen.map(({ memory_id }) => memory_id))]
    for (let turn = 0; ids.length > 0; turn++) {
      if (turn === TRIES) return yield* new Unavailable({ operation: NAME })
      ids = yield* fill(scope, ids, mayCarry)
    }
  })

/** One round over these rows; answers those that changed under it. */
const fill = (scope: Scope, ids: ReadonlyArray<string>, mayCarry: ReadonlySet<string>) =>
  Effect.gen(function*() {
    const review = yield* MemoryReview
    const now = yield* Clock.currentTimeMillis
    const rows = yield* review.named(scope, null, { ids, keys: [] })
    const wanted = yield* Effect.forEach(rows.filter((row) => isServed(row, now)), (row) =>
      Effect.map(entitiesFor(scope, row, mayCarry), (entities) => ({ row, entities })))
    const items = wanted.flatMap(({ entities, row }): ReadonlyArray<TransitionItem> =>
      entities === null ? [] : [{
        target: idTarget(row),
        expected_version: row.version.toString(),
        content: null,
        transition: { _tag: "label", add_tags: [], remove_tags: [], entities, rule: DERIVED_ENTITIES }
      }]
    )
    if (items.length === 0) {
      return []
    }
    yield* faultPoint("entities.before_label")
    const { results } = yield* (yield* MemoryClient).transition(scope, {
      _tag: "memory.transition",
      meta: yield* metaOf(NAME),
      items
    })
    yield* faultPoint("entities.after_label")
    return results.flatMap(({ code, memory_id }) =>
      code === "STALE_VERSION" && memory_id !== null ? [memory_id] : []
    )
  })

/** The entities that a row is to have; null when it keeps those it has. */
const entitiesFor = (scope: Scope, row: MemoryRow, mayCarry: ReadonlySet<string>) =>
  Effect.gen(function*() {
    const isNamed = isSearchable(row) && !isRedacted(row)
    // Of a type that is not searched they are as the writer left them.
    if (!isNamed && row.sensitivity !== "high") return null
    const entities = isNamed ? yield* namesIn(row) : []
    if (sameNames(entities, row.entities)) return null
    if (row.entities.length === 0) return entities
    return mayCarry.has(row.memory_id) && (yield* isDerived(scope, row)) ? entities : null
  })

/** What the value names, but for a name that looks like a secret: every read shows entities. */
const namesIn = (row: MemoryRow) =>
  Effect.gen(function*() {
    const intake = yield* MemoryIntake
    return yield* Effect.filter(
      namedThings(textOfValue(row)),
      (name) => Effect.isSuccess(intake.labels({ entities: [name] }, undefined))
    )
  })

const isDerived = (scope: Scope, row: MemoryRow): Effect.Effect<boolean, StoreError, MemoryReader> =>
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const versions: Array<MemoryRow> = []
    for (let page = 0; page < MOST_PAGES; page++) {
      const before: bigint = versions[versions.length - 1]?.version ?? row.version + 1n
      const more = yield* reader.history(scope, [row], { before, limit: PAGE })
      versions.push(...more.filter(({ memory_id }) => memory_id === row.memory_id))
      const source = sourceOf(versions, more.length < PAGE)
      if (source !== null) return source === "derived"
      if (more.length < PAGE) return false
    }
    return false
  })

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.make({
    name: NAME,
    batch: BATCH,
    run: ({ changes, scope }) => extract(scope, changes),
    pace: { share: SHARE, ...pace }
  })
