/**
 * The migrations of Postgres. Each runs in one transaction with the note that it ran, so a statement that cannot be in a
 * transaction, or that would end it, is refused here.
 */
import * as Effect from "effect/Effect"
import * as Migrations from "./Migrations.ts"

/** All migrations of a folder, in order; by default of `migrations/postgres` beside the sources or the build. */
export const load = (
  folder?: string
): Effect.Effect<ReadonlyArray<Migrations.Migration>, Migrations.MigrationInvalid> =>
  Effect.flatMap(Migrations.read("postgres", folder), validate)

/** The same migrations, or the first fault among them. */
export const validate = (
  migrations: ReadonlyArray<Migrations.Migration>
): Effect.Effect<ReadonlyArray<Migrations.Migration>, Migrations.MigrationInvalid> =>
  Migrations.validate(
    migrations,
    (statement) => alone.test(statement) ? "cannot be in a transaction, or ends it" : undefined
  )

const alone =
  /^(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|VACUUM|ALTER SYSTEM|(CREATE|DROP) (DATABASE|TABLESPACE)\b|REINDEX\b[^]*\bCONCURRENTLY\b|(CREATE|DROP)\b[^]*\bINDEX\s+CONCURRENTLY\b)/i
