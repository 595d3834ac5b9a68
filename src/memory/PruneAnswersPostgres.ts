/**
 * Answers kept for a request that comes again under its idempotency key, where Postgres is the authority. Where it is not
 * there are none, or those of a time when it was.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Postgres } from "../platform/Postgres.ts"
import type { Prunable } from "../work/PruneModel.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"

// As in ClickHouse: an hour above the promise, for clocks that differ and calls under way.
const KEEP = Duration.sum(Duration.millis(ANSWER_TTL_MILLIS), Duration.hours(1))

const Removed = Schema.Struct({ removed: Schema.NumberFromString })

export const make: Effect.Effect<Prunable, never, Postgres> = Effect.map(Postgres, ({ query, sql }) => ({
  name: "answers",
  keep: KEEP,
  prune: Effect.fn("PruneAnswers.prune")(function*(limit: number) {
    const before = Math.floor((yield* Clock.currentTimeMillis) - Duration.toMillis(KEEP))
    const [row] = yield* query(
      "PruneAnswers.prune",
      sql`
        WITH old AS (
          SELECT org, namespace, idem_hash, version FROM loom.answers WHERE at < ${before}::bigint
          LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM loom.answers AS answer USING old
          WHERE answer.org = old.org AND answer.namespace = old.namespace AND answer.idem_hash = old.idem_hash
            AND answer.version = old.version AND answer.at < ${before}::bigint
          RETURNING 1
        )
        SELECT count(*) AS removed FROM removed`,
      Removed
    )
    return row?.removed ?? 0
  })
}))
