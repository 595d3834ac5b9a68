/**
 * Histories of memories at random: sequences of changes as the write path stores them, under a few identities of a few
 * keys, with dates that meet and cross. Used to hold the pure core, the store in this process and ClickHouse together.
 */
import * as FastCheck from "effect/FastCheck"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { Change, MemoryRow, Status } from "../../src/memory/MemoryModel.ts"
import { noon, rowOf, versionAt } from "./MemoryFixture.ts"

const from = <A>(items: ReadonlyArray<A>) => FastCheck.constantFrom(...items)

const changes: ReadonlyArray<Change> = [
  "create",
  "revise",
  "revise",
  "correct",
  "restate",
  "label",
  "delete",
  "restore",
  "retire",
  "reject",
  "expire",
  "rollback",
  "repair",
  "pin"
]
const statuses: ReadonlyArray<Status> = [
  "active",
  "active",
  "active",
  "conflicted",
  "duplicate",
  "superseded",
  "superseded",
  "proposed",
  "rejected",
  "tombstoned",
  "void"
]

/** Times around the hour of a history, a few milliseconds apart so that they tie. */
export const times: ReadonlyArray<number> = [-5, 0, 1, 2, 3, 4, 6, 8, 20].map((shift) => noon + shift)

const date = FastCheck.oneof(
  { weight: 2, arbitrary: FastCheck.constant(null) },
  { weight: 1, arbitrary: from(times) }
)

/** One version in any state, whether or not a write could have made it. */
const step = FastCheck.record({
  writer: from(["", "", "one"]),
  key: from(["k/a", "k/b"]),
  value: from(["Delhi", "Berlin", "Rome"]),
  change: from(changes),
  status: from(statuses),
  valid_at: date,
  valid_to: date,
  temporal_anchor: date,
  expires_at: date,
  pinned: FastCheck.boolean(),
  successor: from(["", "k/a", "k/b"]),
  sensitivity: from(["none", "none", "none", "high"] as const),
  write: from(["", "wr_1", "wr_2"])
})

export type Step = typeof step extends FastCheck.Arbitrary<infer A> ? A : never

/** Versions of a few memories in one order, each less than a millisecond after the one before. */
export const history: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(step, { minLength: 4, maxLength: 24 })

/**
 * The rows of a history; ids follow from the identity, so that a successor is a row of the history or of none. `place`
 * tells histories of one scope apart.
 */
export const rowsOf = (scope: Scope, steps: ReadonlyArray<Step>, place = 0): ReadonlyArray<MemoryRow> =>
  steps.map(({ key, successor, write, writer, ...columns }, index) =>
    rowOf(scope, {
      ...columns,
      agent: writer,
      memory_key: `${key}/${place}`,
      tags: columns.pinned ? ["pinned"] : [],
      superseded_by: successor === "" ? "" : rowOf(scope, { memory_key: `${successor}/${place}` }).memory_id,
      write_id: write,
      version: versionAt(noon) + BigInt(index) * 400_000n + BigInt(place),
      created_at: noon,
      updated_at: noon + Math.floor(index * 0.4),
      invalid_at: columns.status === "superseded" && index % 2 === 0 ? noon + index : null
    })
  )
