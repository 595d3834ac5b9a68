/**
 * Brings a Postgres to the schema of this program. Each migration runs in a transaction of its own, together with the note
 * in `loom.migrations` that it ran, under a lock that lasts as long: several processes may start at once, and one that
 * dies leaves nothing behind. A past that does not agree with the files is refused before anything runs.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Migration, MigrationInvalid, MigrationRefused } from "./Migrations.ts"
import { Applied, fileName, outstanding, SchemaOutdated } from "./Migrations.ts"
import { Postgres } from "./Postgres.ts"
import * as PostgresMigrations from "./PostgresMigrations.ts"

export type MigrationError = MigrationRefused | MigrationInvalid | StoreError

/** Runs what is pending, in order, and returns it; an empty list when the schema was current. */
export const run = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError, Postgres> =>
  Effect.gen(function*() {
    const pg = yield* Postgres
    if ((yield* pending(migrations)).length === 0) return []
    yield* locked(pg, prepare(pg))
    const ran: Array<Migration> = []
    for (;;) {
      // One at a time: another process may have run the next while this one waited for the lock.
      const done = yield* locked(pg, next(pg, migrations))
      if (done === undefined) return ran
      ran.push(done)
      yield* Effect.logInfo("A migration ran").pipe(Effect.annotateLogs({ migration: fileName(done) }))
    }
  }).pipe(Effect.withSpan("PostgresMigrator.run"))

/** What `run` would run, without changing anything. */
export const pending = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationError, Postgres> =>
  Effect.gen(function*() {
    yield* PostgresMigrations.validate(migrations)
    const pg = yield* Postgres
    const [found] = yield* pg.query(
      "PostgresMigrator.find",
      pg.sql`SELECT to_regclass('loom.migrations') IS NOT NULL AS made`,
      Schema.Struct({ made: Schema.Boolean })
    )
    return found?.made === true ? yield* pendingOf(pg, migrations) : migrations
  }).pipe(Effect.withSpan("PostgresMigrator.pending"))

/** The number of the last migration that ran; 0 when none did. */
export const version: Effect.Effect<number, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  (store) => Effect.map(appliedTo(store), (applied) => Math.max(0, ...applied.map(({ id }) => id)))
)

/** For processes that do not migrate: fails on a schema older than theirs, and on one they do not know. */
export const requireCurrent = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<void, MigrationError | SchemaOutdated, Postgres> =>
  Effect.flatMap(
    pending(migrations),
    (missing) =>
      missing.length === 0 ? Effect.void : Effect.fail(new SchemaOutdated({ pending: missing.map(fileName) }))
  )

// In the space of locks with two numbers, apart from those of the shards, which have one: "Loom" and the first of its own.
const LOCK = [0x4c6f6f6d, 1] as const

/** In a transaction that waits for the lock and may take its time. */
const locked = <A, E>(pg: Postgres["Type"], effect: Effect.Effect<A, E>) =>
  pg.transaction(
    "PostgresMigrator.step",
    pg.command("PostgresMigrator.patience", pg.sql`SET LOCAL statement_timeout = 0`).pipe(
      Effect.zipRight(
        pg.command("PostgresMigrator.lock", pg.sql`SELECT pg_advisory_xact_lock(${LOCK[0]}::int, ${LOCK[1]}::int)`)
      ),
      Effect.zipRight(effect)
    )
  )

const prepare = (pg: Postgres["Type"]) =>
  pg.command(
    "PostgresMigrator.table",
    pg.sql.unsafe(`
      CREATE SCHEMA IF NOT EXISTS loom;
      CREATE TABLE IF NOT EXISTS loom.migrations
      (
        id int PRIMARY KEY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      );
      COMMENT ON COLUMN loom.migrations.id IS 'Number of the migration';
      COMMENT ON COLUMN loom.migrations.name IS 'Name of its file without the number';
      COMMENT ON COLUMN loom.migrations.checksum IS 'Hex SHA-256 of its text';
      COMMENT ON COLUMN loom.migrations.applied_at IS 'When it had run'`)
  )

const appliedTo = (pg: Postgres["Type"]) =>
  pg.query("PostgresMigrator.applied", pg.sql`SELECT id, name, checksum FROM loom.migrations ORDER BY id`, Applied)

const pendingOf = (pg: Postgres["Type"], migrations: ReadonlyArray<Migration>) =>
  Effect.flatMap(
    appliedTo(pg),
    (applied) => outstanding(applied, migrations)
  )

/** Runs the first that is pending; undefined when none is. */
const next = (pg: Postgres["Type"], migrations: ReadonlyArray<Migration>) =>
  Effect.gen(function*() {
    const [migration] = yield* pendingOf(pg, migrations)
    if (migration === undefined) return undefined
    const file = fileName(migration)
    yield* Effect.forEach(
      migration.statements,
      (text, index) => pg.command(`${file}, statement ${index + 1}`, pg.sql.unsafe(text)),
      { discard: true }
    )
    const { checksum, id, name } = migration
    yield* pg.command(
      "PostgresMigrator.note",
      pg.sql`INSERT INTO loom.migrations (id, name, checksum) VALUES (${id}, ${name}, ${checksum})`
    )
    return migration
  })
