/**
 * The migrations of ClickHouse. It has no transaction around DDL, so a migration that broke off is run again from its
 * start: a statement that cannot be repeated is refused here.
 */
import * as Effect from "effect/Effect"
import * as Migrations from "./Migrations.ts"

export { fileName, fromSql, type Migration, MigrationInvalid } from "./Migrations.ts"

/** All migrations of a folder, in order; by default of `migrations/clickhouse` beside the sources or the build. */
export const load = (
  folder?: string
): Effect.Effect<ReadonlyArray<Migrations.Migration>, Migrations.MigrationInvalid> =>
  Effect.flatMap(Migrations.read("clickhouse", folder), validate)

/** The same migrations, or the first fault among them. */
export const validate = (
  migrations: ReadonlyArray<Migrations.Migration>
): Effect.Effect<ReadonlyArray<Migrations.Migration>, Migrations.MigrationInvalid> =>
  Migrations.validate(
    migrations,
    (statement) =>
      isRepeatable(statement) ? undefined : "cannot be run twice: say IF NOT EXISTS, IF EXISTS or OR REPLACE"
  )

// Renames and exchanges have no form that can be repeated. An INSERT … SELECT is left to its author: into a replacing
// table it may be.
const isRepeatable = (statement: string): boolean => {
  const words = statement.toUpperCase().split(/\s+/)
  const says = (...phrase: ReadonlyArray<string>) =>
    words.some((_, at) => phrase.every((word, offset) => words[at + offset]?.replace(/[(,]+$/, "") === word))
  switch (words[0]) {
    case "CREATE":
      return says("IF", "NOT", "EXISTS") || says("OR", "REPLACE")
    case "DROP":
      return says("IF", "EXISTS")
    case "ALTER": {
      const adds = words.filter((word) => word === "ADD").length
      const drops = words.filter((word) => word === "DROP" || word === "RENAME" || word === "CLEAR").length
      return (adds === 0 || says("IF", "NOT", "EXISTS")) && (drops === 0 || says("IF", "EXISTS"))
    }
    case "RENAME":
    case "EXCHANGE":
      return false
    default:
      return true
  }
}
