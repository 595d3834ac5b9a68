/**
 * Messages that the cluster's library stores for persisted calls, with their replies: it never removes them. Those of calls
 * that were answered are removed together, so that a call that comes again within the day finds its reply; one that is not
 * answered stays. Loom's own calls are not stored (a lost one is made again); a composer's may be.
 */
import * as Snowflake from "@effect/cluster/Snowflake"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Postgres } from "../platform/Postgres.ts"
import { PREFIX } from "../platform/PostgresCluster.ts"
import type { Prunable } from "../work/PruneModel.ts"

// As long as Loom gives the first answer to an idempotency key, and an hour for clocks that differ.
const KEEP = Duration.hours(25)

const Removed = Schema.Struct({ removed: Schema.NumberFromString })

/** The lowest id that the library may give at a time: its ids begin with their time. */
const firstIdAt = (millis: number): bigint =>
  BigInt(Math.max(0, Math.floor(millis) - Snowflake.constEpochMillis)) << 22n

export const make: Effect.Effect<Prunable, never, Postgres> = Effect.map(Postgres, ({ query, sql }) => {
  const [messages, replies] = [sql(`${PREFIX}_messages`), sql(`${PREFIX}_replies`)]
  return {
    name: "cluster_messages",
    keep: KEEP,
    prune: Effect.fn("PruneMessages.prune")(function*(limit: number) {
      const now = yield* Clock.currentTimeMillis
      const before = String(firstIdAt(now - Duration.toMillis(KEEP)))
      const [row] = yield* query(
        "PruneMessages.prune",
        // Answered is what has its last reply, whose id tells when.
        sql`
          WITH old AS (
            SELECT message.request_id FROM ${messages} AS message
            JOIN ${replies} AS reply ON reply.request_id = message.id AND reply.kind = 0
            WHERE message.kind = 0 AND message.processed AND reply.id < ${before}::bigint
            ORDER BY reply.id LIMIT ${limit} FOR UPDATE OF message SKIP LOCKED
          ), answered AS (
            DELETE FROM ${replies} WHERE request_id IN (SELECT request_id FROM old)
          ), removed AS (
            DELETE FROM ${messages} WHERE request_id IN (SELECT request_id FROM old) RETURNING kind
          )
          SELECT count(*) AS removed FROM removed WHERE kind = 0`,
        Removed
      )
      return row?.removed ?? 0
    })
  }
})
