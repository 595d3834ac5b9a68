/**
 * The two stores of a cluster as its processes hold them: shared with others, so they are not migrated on the way. A
 * process whose schema is newer than theirs does not start; `loom migrate` is run once before.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { SchemaOutdated } from "../../src/platform/Migrations.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as Health from "../gateway/Health.ts"

const layerCurrent = Layer.effectDiscard(Effect.gen(function*() {
  yield* ClickhouseMigrator.requireCurrent(yield* ClickhouseMigrations.load())
  yield* PostgresMigrator.requireCurrent(yield* PostgresMigrations.load())
  if (!(yield* PostgresCluster.present)) {
    return yield* new SchemaOutdated({ pending: ["the tables of the cluster"] })
  }
}))

/** Both stores, once their schemas are known to be those of this build. */
export const layer = (options: Postgres.ConnectionOptions) =>
  layerCurrent.pipe(
    Layer.provideMerge(Layer.merge(Clickhouse.layerConfig, Postgres.layerConfig(options)))
  )

/** Ready when both answer. */
export const layerReadiness: Layer.Layer<Health.Readiness, never, Clickhouse.Clickhouse | Postgres.Postgres> = Layer
  .effect(
    Health.Readiness,
    Effect.gen(function*() {
      const clickhouse = yield* Clickhouse.Clickhouse
      const postgres = yield* Postgres.Postgres
      return yield* Health.make([
        { name: "clickhouse", ask: clickhouse.ping },
        { name: "postgres", ask: postgres.ping }
      ])
    })
  )
