/**
 * Reads the migrations: files `NNNN_name.sql`, numbered from 1 without a gap, statements ending with `;` at the end of a
 * line. ClickHouse has no transaction around DDL, so a migration that broke off is run again from its start: a statement
 * that cannot be repeated is refused here.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
  /** Hex SHA-256 of the file's text with Unix line ends. */
  readonly checksum: string
}

/** The migration files themselves are wrong; the message names the file and the fault. */
export class MigrationInvalid extends Schema.TaggedError<MigrationInvalid>()("MigrationInvalid", {
  file: Schema.String,
  message: Schema.String
}) {}

/** A migration from its SQL text. */
export const fromSql = (id: number, name: string, sql: string): Migration => {
  const text = sql.replaceAll("\r\n", "\n")
  return {
    id,
    name,
    statements: text.replace(/^[ \t]*--.*$/gm, "").split(/;[ \t]*$/m).map((part) => part.trim()).filter((part) =>
      part !== ""
    ),
    checksum: createHash("sha256").update(text).digest("hex")
  }
}

export const fileName = ({ id, name }: Pick<Migration, "id" | "name">): string =>
  `${String(id).padStart(4, "0")}_${name}.sql`

/** All migrations of a folder, in order; by default of `migrations/clickhouse` beside the sources or the build. */
export const load = (folder?: string): Effect.Effect<ReadonlyArray<Migration>, MigrationInvalid> =>
  Effect.suspend(() => {
    const found = folder ?? findFolder()
    if (found === undefined) return invalid("migrations/clickhouse", "the folder is not there")
    return Effect.flatMap(
      Effect.try({
        try: () =>
          readdirSync(found).filter((file) => file.endsWith(".sql")).sort().map((file) => ({
            file,
            sql: readFileSync(join(found, file), "utf8")
          })),
        catch: (cause) => new MigrationInvalid({ file: found, message: `the folder does not read: ${String(cause)}` })
      }),
      (files) => Effect.flatMap(Effect.forEach(files, readFile), validate)
    )
  })

/** The same migrations, or the first fault among them. */
export const validate = (
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationInvalid> => {
  const misplaced = migrations.find(({ id }, index) => id !== index + 1)
  if (misplaced !== undefined) return invalid(fileName(misplaced), "numbers run from 1 without a gap or a repetition")
  const empty = migrations.find(({ statements }) => statements.length === 0)
  if (empty !== undefined) return invalid(fileName(empty), "there is no statement in it")
  const once = Arr.head(
    migrations.flatMap((migration) =>
      migration.statements.flatMap((statement, index) => isRepeatable(statement) ? [] : [{ migration, index }])
    )
  )
  if (once._tag === "None") return Effect.succeed(migrations)
  return invalid(
    fileName(once.value.migration),
    `statement ${once.value.index + 1} cannot be run twice: say IF NOT EXISTS, IF EXISTS or OR REPLACE`
  )
}

const invalid = (file: string, message: string) =>
  Effect.fail(new MigrationInvalid({ file, message: `${file}: ${message}` }))

const readFile = ({ file, sql }: { readonly file: string; readonly sql: string }) => {
  const [, id, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
  return id === undefined || name === undefined
    ? invalid(file, "a migration is named NNNN_name.sql")
    : Effect.succeed(fromSql(Number(id), name, sql))
}

// Up from this file: from `src/platform` as well as from `dist/src/platform`, wherever the package lies.
const findFolder = (from: string = dirname(fileURLToPath(import.meta.url))): string | undefined => {
  const candidate = join(from, "migrations", "clickhouse")
  if (existsSync(candidate)) return candidate
  return dirname(from) === from ? undefined : findFolder(dirname(from))
}

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
