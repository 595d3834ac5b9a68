/**
 * What write verbs make ready before they speak to the actor: the item of a stated claim with its content, the stored row a
 * verb is about, and a stored value prepared to be judged once more. It decides nothing; the actor resolves the row again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import type { SetItem, Target } from "./MemoryCommand.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { valueOf } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { sourceClassOf, statementOf, validityFault } from "./MemoryStatement.ts"
import type { BulkItem } from "./MemoryVerbs.ts"

// A change is prepared for the row it read; if another write lands in between, it is prepared again. Each round loses
// only to a write that succeeded, so a few rounds are enough for any writer that does not hammer one key.
const STALE_ROUNDS = 5

// The version before the tombstone is the one that is sought; only a row that went by several hands has more.
const VERSIONS_BACK = 4

/** Tries again while another write came in between. */
export const untilSettled = <A>(attempt: Effect.Effect<A, LoomError>): Effect.Effect<A, LoomError> =>
  Effect.retry(attempt, {
    schedule: Schedule.recurs(STALE_ROUNDS),
    while: (error) => error._tag === "Refusal" && error.code === "STALE_VERSION"
  })

/** What an item of a bulk write takes over when it does not say it. */
export interface ItemDefaults {
  readonly agent?: string | undefined
  readonly session_id?: string | undefined
  readonly run_id: string
}

export const make = Effect.gen(function*() {
  const intake = yield* MemoryIntake
  const reader = yield* MemoryReader

  /** A stated claim as the actor takes it. */
  const itemOf = (
    item: BulkItem,
    defaults: ItemDefaults,
    user_id: string,
    proposed: boolean
  ): Effect.Effect<SetItem, LoomError> =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const prepared = statementOf(item, now)
      const fault = validityFault(prepared)
      if (fault !== undefined) return yield* fault
      const warned = yield* intake.labels(item, item.sensitivity)
      const content = yield* intake.prepare({
        memory_key: item.memory_key,
        value: item.value,
        memory_type: item.memory_type,
        sensitivity: item.sensitivity
      })
      return {
        agent: item.agent ?? defaults.agent ?? "",
        user_id,
        session_id: item.session_id ?? defaults.session_id ?? "",
        memory_key: item.memory_key,
        run_id: item.run_id ?? defaults.run_id,
        content,
        statement: prepared.statement,
        source_class: yield* sourceClassOf(item.source_class, "asserted"),
        if_match_sha256: item.if_match_sha256 ?? null,
        proposed,
        advisories: [...prepared.advisories, ...warned]
      }
    })

  /** The heads a target names, newest first; its writer fields carry the caller's bound. */
  const rowsOf = (scope: Scope, { memory_id, memory_key, ...writer }: Target) =>
    memory_id === null
      ? reader.byKey(scope, memory_key ?? "", writer)
      : Effect.map(
        reader.byId(scope, memory_id, writer),
        (rows) => rows.filter((row) => memory_key === null || row.memory_key === memory_key)
      )

  /** The row a verb is about as it stands; the actor resolves it again and has the last word. */
  const current = (scope: Scope, target: Target, isMeant: (row: MemoryRow, now: number) => boolean) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* rowsOf(scope, target)
      return rows.find((row) => isMeant(row, now))
    })

  /** A stored value made ready to be judged again, as it is. */
  const prepared = (row: MemoryRow) =>
    intake.prepare({
      memory_key: row.memory_key,
      value: valueOf(row),
      memory_type: row.memory_type,
      sensitivity: row.sensitivity
    })

  /** Whether a tombstoned row was a proposal when it went: its last version in service says so. */
  const wasProposed = (scope: Scope, row: MemoryRow): Effect.Effect<boolean, LoomError> =>
    Effect.gen(function*() {
      if (row.status !== "tombstoned") return false
      let before = row.version
      while (true) {
        const page: ReadonlyArray<MemoryRow> = yield* reader.history(scope, [row], { before, limit: VERSIONS_BACK })
        const last = page.find(({ status }) => status !== "tombstoned" && status !== "void")
        const oldest = page[page.length - 1]
        if (last !== undefined) return last.status === "proposed"
        if (oldest === undefined || page.length < VERSIONS_BACK) return false
        before = oldest.version
      }
    })

  return { itemOf, rowsOf, current, prepared, wasProposed }
})
