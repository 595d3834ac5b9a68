/**
 * Answers kept for a request that comes again under its idempotency key, of writes that wrote no row. A row's version is
 * the time of its write, and that of a row that voids another lies above it: by age of the versions nothing is removed
 * before what it stands in front of, and nothing that a retry within its day may ask for.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import type { Prunable } from "../work/PruneModel.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"

// An hour above the promise: for clocks of hosts that differ, and for a call that is under way.
const KEEP = Duration.sum(Duration.millis(ANSWER_TTL_MILLIS), Duration.hours(1))

const OldRow = Schema.Struct({ rows: UInt64, top: UInt64 })

export const make: Effect.Effect<Prunable, never, Clickhouse> = Effect.map(Clickhouse, (clickhouse) => ({
  name: "idempotency",
  keep: KEEP,
  prune: Effect.fn("PruneAnswers.prune")(function*(limit: number) {
    const now = yield* Clock.currentTimeMillis
    const before = BigInt(Math.floor(now - Duration.toMillis(KEEP))) * 1_000_000n
    const [old] = yield* clickhouse.query(
      ch.sql("PruneAnswers.old")`SELECT count() AS rows, max(version) AS top FROM (
        SELECT version FROM loom.idempotency WHERE version < ${ch.uint64(before)} ORDER BY version LIMIT ${
        ch.uint32(limit)
      })`,
      OldRow
    )
    if (old === undefined || old.rows === 0n) return 0
    yield* clickhouse.command(
      ch.sql("PruneAnswers.prune")`DELETE FROM loom.idempotency WHERE version <= ${ch.uint64(old.top)}`
    )
    return Number(old.rows)
  })
}))
