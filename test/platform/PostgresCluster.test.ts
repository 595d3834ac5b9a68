/**
 * The cluster's tables are made once however many ask for them at once, under the names that its storage then uses.
 */
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { layerUrl, Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const tables = Effect.flatMap(Postgres, (pg) =>
  Effect.map(
    pg.query(
      "test.tables",
      pg.sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
      Schema.Struct({ tablename: Schema.String })
    ),
    (rows) => rows.map(({ tablename }) => tablename)
  ))

describe("PostgresCluster", () => {
  it.live("makes the tables once, for several that start together", () =>
    Effect.gen(function*() {
      const url = yield* PostgresHouse.database
      const one = Layer.fresh(layerUrl(url))
      const made = yield* Effect.forEach([1, 2, 3], () => Effect.provide(PostgresCluster.create, one), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(made.sort(), [false, false, true])
      yield* Effect.gen(function*() {
        const names = yield* tables
        assert.deepStrictEqual(names, [
          "loom_cluster_messages",
          "loom_cluster_migrations",
          "loom_cluster_replies",
          "loom_cluster_runners"
        ])
        const { PREFIX: prefix } = PostgresCluster
        yield* Layer.build(
          Layer.merge(SqlMessageStorage.layerWith({ prefix }), SqlRunnerStorage.layerWith({ prefix })).pipe(
            Layer.provide(ShardingConfig.layerDefaults)
          )
        )
        assert.deepStrictEqual(yield* tables, names)
        const pg = yield* Postgres
        const locks = pg.sql`SELECT count(*)::int AS held FROM pg_locks
          WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        assert.deepStrictEqual(yield* pg.query("test.locks", locks, Schema.Struct({ held: Schema.Int })), [{ held: 0 }])
      }).pipe(Effect.scoped, Effect.provide(one))
    }).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger))))
})
