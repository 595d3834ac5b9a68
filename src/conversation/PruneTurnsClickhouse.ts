/**
 * Searchable parts whose turn never came, since its write broke off, or went while they were written again. They are served
 * by nothing, but they hold the words of what was said. A write that is under way has its turn within the hour.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { nanosOf } from "../platform/ClickhouseValue.ts"
import type { Prunable } from "../work/PruneModel.ts"

// Longer than any request and any difference between the clocks of two hosts.
const KEEP = Duration.hours(1)
// Only what was written lately is looked at, so that a look costs the same however much is stored: longer than any pause
// between two looks of an installation that is in use.
const LOOKED_BACK = Duration.days(7)

const KeyRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  turn_id: Schema.String
})

const key = ch.fragment`org, namespace, agent, user_id, session_id, turn_id`

export const make: Effect.Effect<Prunable, never, Clickhouse> = Effect.map(Clickhouse, (clickhouse) => ({
  name: "conversation_chunks",
  keep: KEEP,
  prune: Effect.fn("PruneTurns.prune")(function*(limit: number) {
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(KEEP)
    const isOld = ch.fragment`position < ${ch.uint64(nanosOf(before))} AND position >= ${
      ch.uint64(nanosOf(Math.max(0, before - Duration.toMillis(LOOKED_BACK))))
    }`
    const lately = ch.fragment`SELECT ${key} FROM loom.conversation_chunks WHERE ${isOld}`
    const orphans = yield* clickhouse.query(
      ch.sql("PruneTurns.old")`
        SELECT DISTINCT ${key} FROM loom.conversation_chunks WHERE ${isOld} AND (${key}) NOT IN (
          SELECT ${key} FROM loom.conversation_turns FINAL WHERE (${key}) IN (${lately}) AND deleted_at IS NULL
        ) LIMIT ${ch.uint32(limit)}`,
      KeyRow
    )
    if (orphans.length === 0) return 0
    const keys = orphans.map(({ agent, namespace, org, session_id, turn_id, user_id }) =>
      [org, namespace, agent, user_id, session_id, turn_id] as const
    )
    yield* clickhouse.command(
      ch.sql("PruneTurns.prune")`DELETE FROM loom.conversation_chunks WHERE (${key}) IN ${
        ch.tuples(["String", "String", "String", "String", "String", "String"], keys)
      } AND ${isOld}`
    )
    return orphans.length
  })
}))
