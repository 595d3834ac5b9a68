/**
 * Intents that were decided. One that is open or doomed is never touched: it says what whoever takes the namespace next has
 * to settle. A decided one is asked for by its own owner alone, who may repeat a statement of which no answer came.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Postgres } from "../platform/Postgres.ts"
import type { Prunable } from "../work/PruneModel.ts"

// A statement is given up after seconds and a call after 30; by then an hour is long, and whoever looks for what went wrong
// still sees it.
const KEEP = Duration.hours(1)

const Removed = Schema.Struct({ removed: Schema.NumberFromString })

export const make: Effect.Effect<Prunable, never, Postgres> = Effect.map(Postgres, ({ query, sql }) => ({
  name: "intents",
  keep: KEEP,
  // By the clock of Postgres alone, which wrote the times. What somebody else is at is left to the next look.
  prune: Effect.fn("PruneIntents.prune")(function*(limit: number) {
    const [row] = yield* query(
      "PruneIntents.prune",
      sql`
        WITH old AS (
          SELECT org, namespace, epoch, seq FROM loom.intents
          WHERE state IN ('done', 'void') AND decided_at < now() - ${Duration.toSeconds(KEEP)} * interval '1 second'
          LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM loom.intents AS intent USING old
          WHERE intent.org = old.org AND intent.namespace = old.namespace AND intent.epoch = old.epoch
            AND intent.seq = old.seq AND intent.state IN ('done', 'void')
          RETURNING 1
        )
        SELECT count(*) AS removed FROM removed`,
      Removed
    )
    return row?.removed ?? 0
  })
}))
