/**
 * Brings a ClickHouse to the schema of this program. What ran is written in `loom.migrations` with its checksum; an
 * earlier migration that is changed, missing or new is refused before anything runs. Two processes may start at once:
 * one holds the lock and runs, the other waits and finds it done. The lock saves work; safety comes from statements
 * that can be repeated and from looking again under the lock.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Corrupt, StoreError, Unavailable } from "../kernel/LoomError.ts"
import { ch, Clickhouse } from "./Clickhouse.ts"
import { withLock } from "./ClickhouseLock.ts"
import * as ClickhouseMigrations from "./ClickhouseMigrations.ts"
import type { Migration, MigrationInvalid, MigrationRefused } from "./Migrations.ts"
import { Applied, outstanding, SchemaOutdated } from "./Migrations.ts"

export { MigrationRefused, SchemaOutdated } from "./Migrations.ts"

export type MigrationError = MigrationRefused | MigrationInvalid | Unavailable | Corrupt

/** Runs what is pending, in order, and returns it; an empty list when the schema was current. */
export const run = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError, Clickhouse> =>
  Effect.gen(function*() {
    yield* ClickhouseMigrations.validate(migrations)
    const clickhouse = yield* Clickhouse
    yield* clickhouse.command(createDatabase)
    yield* clickhouse.command(createTable)
    if ((yield* pendingOf(clickhouse, migrations)).length === 0) return []
    return yield* withLock(
      clickhouse,
      "migrations_lock",
      Effect.gen(function*() {
        // Another process may have run them while this one waited.
        const pending = yield* pendingOf(clickhouse, migrations)
        yield* Effect.forEach(pending, (migration) => apply(clickhouse, migration), { discard: true })
        return pending
      })
    )
  }).pipe(Effect.withSpan("ClickhouseMigrator.run"))

/** What `run` would run, without changing anything. */
export const pending = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError, Clickhouse> =>
  Effect.gen(function*() {
    yield* ClickhouseMigrations.validate(migrations)
    const clickhouse = yield* Clickhouse
    const tables = yield* clickhouse.query(findTable, Schema.Struct({ name: Schema.String }))
    return tables.length === 0 ? migrations : yield* pendingOf(clickhouse, migrations)
  }).pipe(Effect.withSpan("ClickhouseMigrator.pending"))

/** The number of the last migration that ran; 0 when none did. */
export const version: Effect.Effect<number, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (store) => Effect.map(appliedTo(store), (applied) => Math.max(0, ...applied.map(({ id }) => id)))
)

/** For processes that do not migrate: fails on a schema older than theirs, and on one they do not know. */
export const requireCurrent = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<void, MigrationError | SchemaOutdated, Clickhouse> =>
  Effect.flatMap(pending(migrations), (missing) =>
    missing.length === 0
      ? Effect.void
      : Effect.fail(new SchemaOutdated({ pending: missing.map(ClickhouseMigrations.fileName) })))

const createDatabase = ch.sql("ClickhouseMigrator.database")`CREATE DATABASE IF NOT EXISTS loom ENGINE = Atomic`

const createTable = ch.sql("ClickhouseMigrator.table")`
  CREATE TABLE IF NOT EXISTS loom.migrations
  (
    id UInt32 COMMENT 'Number of the migration',
    name String COMMENT 'Name of its file without the number',
    checksum String COMMENT 'Hex SHA-256 of its text',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it had run'
  )
  ENGINE = ReplacingMergeTree
  ORDER BY id`

const findTable = ch.sql("ClickhouseMigrator.find")`
  SELECT name FROM system.tables WHERE database = 'loom' AND name = 'migrations'`

const selectApplied = ch.sql("ClickhouseMigrator.applied")`
  SELECT id, name, checksum FROM loom.migrations FINAL ORDER BY id`

const appliedTo = (clickhouse: Clickhouse["Type"]) => clickhouse.query(selectApplied, Applied)

const pendingOf = (clickhouse: Clickhouse["Type"], migrations: ReadonlyArray<Migration>) =>
  Effect.flatMap(appliedTo(clickhouse), (applied) => outstanding(applied, migrations))

const apply = (clickhouse: Clickhouse["Type"], migration: Migration) =>
  Effect.gen(function*() {
    const file = ClickhouseMigrations.fileName(migration)
    yield* Effect.forEach(
      migration.statements,
      (text, index) => clickhouse.command({ operation: `${file}, statement ${index + 1}`, text, params: {} }),
      { discard: true }
    )
    yield* clickhouse.insert("loom.migrations", [{
      id: migration.id,
      name: migration.name,
      checksum: migration.checksum
    }])
    yield* Effect.logInfo("A migration ran").pipe(Effect.annotateLogs({ migration: file }))
  })
