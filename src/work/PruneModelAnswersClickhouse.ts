/** Answers of language models that are too old to be given again. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import * as LanguageModelAnswers from "../platform/LanguageModelAnswers.ts"
import type { Prunable } from "./PruneModel.ts"

// A day above it, for clocks of hosts that differ.
const KEEP = Duration.sum(LanguageModelAnswers.KEEP, Duration.days(1))

const OldRow = Schema.Struct({ rows: UInt64, top: EpochMillis })

export const make: Effect.Effect<Prunable, never, Clickhouse> = Effect.map(Clickhouse, (clickhouse) => ({
  name: "model_answers",
  keep: KEEP,
  prune: Effect.fn("PruneModelAnswers.prune")(function*(limit: number) {
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(KEEP)
    const [old] = yield* clickhouse.query(
      ch.sql("PruneModelAnswers.old")`SELECT count() AS rows, max(at) AS top FROM (
        SELECT at FROM loom.model_answers WHERE at < ${ch.dateTime64(before)} ORDER BY at LIMIT ${ch.uint32(limit)})`,
      OldRow
    )
    if (old === undefined || old.rows === 0n) return 0
    yield* clickhouse.command(
      ch.sql("PruneModelAnswers.prune")`DELETE FROM loom.model_answers WHERE at <= ${ch.dateTime64(old.top)}`
    )
    return Number(old.rows)
  })
}))
