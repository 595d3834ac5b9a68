/**
 * Dead letters that were done with: handled at last, or dropped by a person. An open one stays until somebody decides. A
 * letter is removed as a whole, since an older row of it would come back as open.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import type { Prunable } from "../work/PruneModel.ts"

// Whoever asks why something derived is missing asks within weeks.
const KEEP = Duration.days(30)

// Letters are named one by one in the statement; more go with the next.
const AT_ONCE = 500

const LetterPlace = Schema.Struct({
  worker: Schema.String,
  org: Schema.String,
  namespace: Schema.String,
  position: UInt64,
  version: UInt64
})

export const make: Effect.Effect<Prunable, never, Clickhouse> = Effect.map(Clickhouse, (clickhouse) => ({
  name: "dead_letters",
  keep: KEEP,
  prune: Effect.fn("PruneLetters.prune")(function*(limit: number) {
    const now = yield* Clock.currentTimeMillis
    const before = BigInt(Math.floor(now - Duration.toMillis(KEEP))) * 1_000_000n
    const old = yield* clickhouse.query(
      ch.sql("PruneLetters.old")`SELECT worker, org, namespace, position, version FROM loom.worker_dead_letters FINAL
        WHERE state IN ('done', 'dropped') AND version < ${ch.uint64(before)}
        ORDER BY version LIMIT ${ch.uint32(Math.min(limit, AT_ONCE))}`,
      LetterPlace
    )
    if (old.length === 0) return 0
    // Asked for again meanwhile, a letter has a row above these, which stays.
    yield* clickhouse.command(
      ch.sql("PruneLetters.prune")`DELETE FROM loom.worker_dead_letters
        WHERE (worker, org, namespace, position) IN ${
        ch.tuples(
          ["String", "String", "String", "UInt64"],
          old.map(({ namespace, org, position, worker }) => [worker, org, namespace, position])
        )
      } AND version < ${ch.uint64(before)}`
    )
    return old.length
  })
}))
