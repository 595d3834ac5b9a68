/**
 * Who owns what in a cluster, as its Postgres knows it: the runners that are there, the locks of shards that each holds,
 * and the namespaces that were written, by the shard each falls into.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { actorId } from "../../src/kernel/Identity.ts"
import type { StoreError } from "../../src/kernel/LoomError.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import { APPLICATION, FIRST_LOCK } from "../layers/ClusterSharding.ts"

export interface Owner {
  /** Of the runner. */
  readonly address: string
  readonly shards: number
  readonly namespaces: ReadonlyArray<{ readonly namespace: string; readonly epoch: string }>
}

const Held = Schema.Struct({ application: Schema.String, shards: Schema.Array(Schema.Int) })

const Fenced = Schema.Struct({ org: Schema.String, namespace: Schema.String, epoch: Schema.String })

/** Every runner that is connected, with what it holds; `shardOf` is where an actor's id falls. */
export const view = (shardOf: (id: string) => number): Effect.Effect<ReadonlyArray<Owner>, StoreError, Postgres> =>
  Effect.gen(function*() {
    const { query, sql } = yield* Postgres
    const held = yield* query(
      "ClusterView.held",
      sql`SELECT activity.application_name AS application,
          coalesce(array_agg(locks.objid::int - ${FIRST_LOCK}::int) FILTER (WHERE locks.objid IS NOT NULL), '{}') AS shards
        FROM pg_stat_activity activity LEFT JOIN pg_locks locks ON locks.pid = activity.pid
          AND locks.locktype = 'advisory' AND locks.granted AND locks.classid = 0 AND locks.objsubid = 1
        WHERE activity.datname = current_database() AND starts_with(activity.application_name, ${APPLICATION})
        GROUP BY 1 ORDER BY 1`,
      Held
    )
    const fenced = yield* query(
      "ClusterView.fenced",
      sql`SELECT org, namespace, epoch::text AS epoch FROM loom.fence ORDER BY org, namespace`,
      Fenced
    )
    return held.map(({ application, shards }) => ({
      address: application.slice(APPLICATION.length),
      shards: shards.length,
      namespaces: fenced
        .filter((one) => shards.includes(shardOf(actorId(one))))
        .map(({ epoch, namespace }) => ({ namespace, epoch }))
    }))
  })
