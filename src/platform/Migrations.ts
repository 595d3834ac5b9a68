/**
 * What the migrations of every store have in common: files `NNNN_name.sql`, numbered from 1 without a gap, statements
 * ending with `;` at the end of a line, each file with its checksum; and a past that must agree with these files before
 * anything runs.
 */
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

/** The database and this program disagree about the past; nothing was run. The message says what to restore. */
export class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  reason: Schema.Literal("changed", "missing", "out_of_order"),
  migration: Schema.String,
  message: Schema.String
}) {}

/** The database is behind this program: run the migrations first. */
export class SchemaOutdated extends Schema.TaggedError<SchemaOutdated>()("SchemaOutdated", {
  pending: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The database lacks ${this.pending.join(", ")}: run the migrations first`
  }
}

/** A row of the table in which a store keeps what ran. */
export const Applied = Schema.Struct({ id: Schema.Int, name: Schema.String, checksum: Schema.String })
export type Applied = typeof Applied.Type

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

/** All migrations of a folder in order; by default of `migrations/<store>` beside the sources or the build. */
export const read = (store: string, folder?: string): Effect.Effect<ReadonlyArray<Migration>, MigrationInvalid> =>
  Effect.suspend(() => {
    const found = folder ?? findFolder(store)
    if (found === undefined) return invalid(`migrations/${store}`, "the folder is not there")
    return Effect.flatMap(
      Effect.try({
        try: () =>
          readdirSync(found).filter((file) => file.endsWith(".sql")).sort().map((file) => ({
            file,
            sql: readFileSync(join(found, file), "utf8")
          })),
        catch: (cause) => new MigrationInvalid({ file: found, message: `the folder does not read: ${String(cause)}` })
      }),
      (files) => Effect.forEach(files, readFile)
    )
  })

/**
 * The same migrations, or the first fault among them. `faultOf` says what keeps a statement from being one of this store's
 * migrations; undefined when nothing does.
 */
export const validate = (
  migrations: ReadonlyArray<Migration>,
  faultOf: (statement: string) => string | undefined
): Effect.Effect<ReadonlyArray<Migration>, MigrationInvalid> => {
  const misplaced = migrations.find(({ id }, index) => id !== index + 1)
  if (misplaced !== undefined) return invalid(fileName(misplaced), "numbers run from 1 without a gap or a repetition")
  const empty = migrations.find(({ statements }) => statements.length === 0)
  if (empty !== undefined) return invalid(fileName(empty), "there is no statement in it")
  const [fault] = migrations.flatMap((migration) =>
    migration.statements.flatMap((statement, index) => {
      const words = faultOf(statement)
      return words === undefined ? [] : [{ file: fileName(migration), words: `statement ${index + 1} ${words}` }]
    })
  )
  return fault === undefined ? Effect.succeed(migrations) : invalid(fault.file, fault.words)
}

/** Which of the migrations did not run, in order. Refused when what ran is not the beginning of them. */
export const outstanding = (
  applied: ReadonlyArray<Applied>,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationRefused> => {
  for (const row of applied) {
    const file = migrations.find(({ id }) => id === row.id)
    if (file === undefined) {
      return refuse("missing", row, "ran on this database and is not part of this program; use a newer program")
    }
    if (file.checksum !== row.checksum || file.name !== row.name) {
      return refuse("changed", row, "is not the file that ran on this database; restore it and add a new one")
    }
  }
  const ran = new Set(applied.map(({ id }) => id))
  const rest = migrations.filter(({ id }) => !ran.has(id))
  const early = rest.find(({ id }) => applied.some((row) => row.id > id))
  return early === undefined
    ? Effect.succeed(rest)
    : refuse("out_of_order", early, "did not run, though later ones did")
}

const refuse = (reason: MigrationRefused["reason"], at: Pick<Migration, "id" | "name">, words: string) =>
  Effect.fail(new MigrationRefused({ reason, migration: fileName(at), message: `${fileName(at)} ${words}` }))

const invalid = (file: string, message: string) =>
  Effect.fail(new MigrationInvalid({ file, message: `${file}: ${message}` }))

const readFile = ({ file, sql }: { readonly file: string; readonly sql: string }) => {
  const [, id, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
  return id === undefined || name === undefined
    ? invalid(file, "a migration is named NNNN_name.sql")
    : Effect.succeed(fromSql(Number(id), name, sql))
}

// Up from this file: from `src/platform` as well as from `dist/src/platform`, wherever the package lies.
const findFolder = (store: string, from: string = dirname(fileURLToPath(import.meta.url))): string | undefined => {
  const candidate = join(from, "migrations", store)
  if (existsSync(candidate)) return candidate
  return dirname(from) === from ? undefined : findFolder(store, dirname(from))
}
