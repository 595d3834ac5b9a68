/** Which migrations of each store ran, beside those that this build knows: they differ while a cluster is upgraded. */
import * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"
import { Clickhouse } from "../platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../platform/ClickhouseMigrator.ts"
import type { MigrationInvalid } from "../platform/Migrations.ts"
import { Postgres } from "../platform/Postgres.ts"
import * as PostgresMigrations from "../platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../platform/PostgresMigrator.ts"
import type { SchemaView } from "./ClusterModel.ts"

type Look = Effect.Effect<SchemaView, StoreError>

/** Of ClickHouse. */
export const clickhouse: Effect.Effect<Look, MigrationInvalid, Clickhouse> = Effect.gen(function*() {
  const store = yield* Clickhouse
  const known = (yield* ClickhouseMigrations.load()).length
  return ClickhouseMigrator.version.pipe(
    Effect.map((version): SchemaView => ({ store: "clickhouse", version, known })),
    Effect.provideService(Clickhouse, store)
  )
})

/** Of Postgres. */
export const postgres: Effect.Effect<Look, MigrationInvalid, Postgres> = Effect.gen(function*() {
  const store = yield* Postgres
  const known = (yield* PostgresMigrations.load()).length
  return PostgresMigrator.version.pipe(
    Effect.map((version): SchemaView => ({ store: "postgres", version, known })),
    Effect.provideService(Postgres, store)
  )
})
