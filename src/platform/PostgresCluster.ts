/**
 * The tables of the cluster's own storage. The library makes them when a process starts, and several that start at once
 * on an empty database fail at each other; so they are made here, by one process at a time, before any runner starts.
 */
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type StoreError, Unavailable } from "../kernel/LoomError.ts"
import { Postgres } from "./Postgres.ts"
import { faultOf } from "./PostgresFault.ts"

/** Before the name of each of the cluster's tables, with a `_` between; the same for every process of a cluster. */
export const PREFIX = "loom_cluster"

/** What Postgres shows of the connections of a runner: this, and the address at which it is reached. */
export const APPLICATION = "loom runner "

/** The one group of shards, and how many it has: the library's own number, the same for every process of a cluster. */
export const SHARD_GROUP = "default"
export const SHARDS = 300

/** The lock of a shard of that group has this number and the shard's own. */
export const FIRST_LOCK = 1_000_000

// Beside the lock of the migrator: "Loom" and the second of its own.
const LOCK = [0x4c6f6f6d, 2] as const

const storage = Layer.merge(
  SqlMessageStorage.layerWith({ prefix: PREFIX }),
  SqlRunnerStorage.layerWith({ prefix: PREFIX })
).pipe(Layer.provide(ShardingConfig.layerDefaults))

const made = Schema.Struct({ made: Schema.Boolean })

/** Whether they are there. */
export const present: Effect.Effect<boolean, StoreError, Postgres> = Effect.flatMap(Postgres, (pg) =>
  Effect.map(
    pg.query(
      "PostgresCluster.present",
      pg.sql`SELECT to_regclass(${`${PREFIX}_messages`}) IS NOT NULL AND to_regclass(${`${PREFIX}_replies`}) IS NOT NULL
        AND to_regclass(${`${PREFIX}_runners`}) IS NOT NULL AS made`,
      made
    ),
    ([row]) => row?.made === true
  ))

/** Makes those that are missing; true when any was. */
export const create: Effect.Effect<boolean, StoreError, Postgres | SqlClient> = Effect.gen(function*() {
  const pg = yield* Postgres
  if (yield* present) return false
  // The lock belongs to a session and not to a transaction, since the library begins its own.
  const holder = yield* Effect.uninterruptible(pg.sql.reserve)
  yield* Effect.acquireRelease(
    holder.executeRaw("SELECT pg_advisory_lock($1, $2)", LOCK),
    () => Effect.ignore(holder.executeRaw("SELECT pg_advisory_unlock($1, $2)", LOCK))
  )
  if (yield* present) return false
  yield* Layer.build(storage)
  return true
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) => failed(faultOf(error).reason)),
  // The library dies of what goes wrong there.
  Effect.catchAllDefect((defect) => failed(String(defect))),
  Effect.withSpan("PostgresCluster.create")
)

const failed = (reason: string) =>
  Effect.logWarning("The tables of the cluster were not made").pipe(
    Effect.annotateLogs({ reason }),
    Effect.zipRight(Effect.fail(new Unavailable({ operation: "PostgresCluster.create" })))
  )
