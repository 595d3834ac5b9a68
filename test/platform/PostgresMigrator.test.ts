/**
 * Migrations of Postgres on a real server: run once and in order, whole or not at all, by one of several at a time, and
 * never over another past.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { readSchema } from "../../src/kernel/SchemaText.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import { layerUrl, Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const quiet = Logger.remove(Logger.defaultLogger)
const fresh = PostgresHouse.layer().pipe(Layer.provideMerge(quiet))

const first = Migrations.fromSql(
  1,
  "notes",
  "CREATE TABLE loom.notes (id bigint);\n\nINSERT INTO loom.notes VALUES (1);\n"
)
const second = Migrations.fromSql(2, "authors", "ALTER TABLE loom.notes ADD COLUMN author text;\n")

const names = (migrations: ReadonlyArray<Migrations.Migration>) => migrations.map(Migrations.fileName)

const recorded = Effect.flatMap(Postgres, (pg) =>
  pg.query(
    "test.recorded",
    pg.sql`SELECT id, name FROM loom.migrations ORDER BY id`,
    Schema.Struct({ id: Schema.Int, name: Schema.String })
  ))

const notes = Effect.flatMap(Postgres, (pg) =>
  Effect.map(
    pg.query("test.notes", pg.sql`SELECT id::int AS id FROM loom.notes`, Schema.Struct({ id: Schema.Int })),
    (rows) => rows.length
  ))

const refusalOf = (migrations: ReadonlyArray<Migrations.Migration>) =>
  Effect.map(
    Effect.flip(PostgresMigrator.run(migrations)),
    (error) => error._tag === "MigrationRefused" ? `${error.reason} ${error.migration}` : error._tag
  )

describe("PostgresMigrator", () => {
  it.live("runs what is pending once, reports it, and refuses another past", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(names(yield* PostgresMigrator.pending([first, second])), [
        "0001_notes.sql",
        "0002_authors.sql"
      ])
      const outdated = yield* Effect.flip(PostgresMigrator.requireCurrent([first]))
      assert.strictEqual(outdated.message, "The database lacks 0001_notes.sql: run the migrations first")
      assert.deepStrictEqual(names(yield* PostgresMigrator.run([first])), ["0001_notes.sql"])
      assert.deepStrictEqual(names(yield* PostgresMigrator.run([first, second])), ["0002_authors.sql"])
      assert.deepStrictEqual(yield* PostgresMigrator.run([first, second]), [])
      yield* PostgresMigrator.requireCurrent([first, second])
      assert.strictEqual(yield* notes, 1)

      const changed = Migrations.fromSql(1, "notes", "CREATE TABLE loom.other (id bigint);")
      const third = Migrations.fromSql(3, "third", "CREATE TABLE loom.third (id bigint);")
      assert.strictEqual(yield* refusalOf([changed, second, third]), "changed 0001_notes.sql")
      assert.strictEqual(yield* refusalOf([first, { ...second, name: "writers" }]), "changed 0002_authors.sql")
      assert.strictEqual(yield* refusalOf([first]), "missing 0002_authors.sql")
      assert.strictEqual((yield* Effect.flip(PostgresMigrator.requireCurrent([first])))._tag, "MigrationRefused")
      const pg = yield* Postgres
      yield* pg.command("test.note", pg.sql`INSERT INTO loom.migrations VALUES (4, 'fourth', ${second.checksum})`)
      const fourth = { ...second, id: 4, name: "fourth" }
      assert.strictEqual(yield* refusalOf([first, second, third, fourth]), "out_of_order 0003_third.sql")
    }).pipe(Effect.provide(fresh)))

  it.live("leaves nothing of a migration that breaks off, and what ran before", () =>
    Effect.gen(function*() {
      const broken = Migrations.fromSql(
        2,
        "broken",
        "INSERT INTO loom.notes VALUES (2);\nSELECT 1 FROM loom.nowhere;\n"
      )
      assert.strictEqual((yield* Effect.flip(PostgresMigrator.run([first, broken])))._tag, "Unavailable")
      assert.deepStrictEqual(yield* recorded, [{ id: 1, name: "notes" }])
      assert.strictEqual(yield* notes, 1)
      assert.deepStrictEqual(names(yield* PostgresMigrator.run([first, second])), ["0002_authors.sql"])
    }).pipe(Effect.provide(fresh)))

  it.live("is safe when several start at once", () =>
    Effect.gen(function*() {
      const url = yield* PostgresHouse.database
      const slow = Migrations.fromSql(1, "slow", "CREATE TABLE loom.notes (id bigint);\nSELECT pg_sleep(0.3);\n")
      const reports = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.provide(PostgresMigrator.run([slow, second]), Layer.fresh(layerUrl(url))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(reports.flatMap(names).sort(), ["0001_slow.sql", "0002_authors.sql"])
    }).pipe(Effect.scoped, Effect.provide(quiet)))

  it.live("makes of the project's own migrations what the reader of migrations sees, with a meaning for each column", () =>
    Effect.gen(function*() {
      const migrations = yield* PostgresMigrations.load()
      assert.isNotEmpty(yield* PostgresMigrator.run(migrations))
      const pg = yield* Postgres
      const made = yield* pg.query(
        "test.columns",
        pg.sql`SELECT c.relname AS "table", a.attname AS name, coalesce(col_description(c.oid, a.attnum), '') AS comment
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          WHERE c.relnamespace = 'loom'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
          ORDER BY c.relname, a.attnum`,
        Schema.Struct({ table: Schema.String, name: Schema.String, comment: Schema.String })
      )
      assert.deepStrictEqual(made.filter(({ comment }) => comment === ""), [])
      const { tables } = readSchema(migrations.flatMap(({ statements }) => statements))
      const read = [...tables.values()].sort((left, right) => left.name < right.name ? -1 : 1).flatMap((table) =>
        table.columns.map(({ comment, name }) => ({ table: table.name, name, comment }))
      )
      assert.deepStrictEqual(read, made.filter(({ table }) => table !== "migrations"))
      assert.strictEqual(tables.get("intents")?.orderBy, "org, namespace, epoch, seq")
      const types = tables.get("intents")?.columns.map(({ type }) => type)
      assert.deepStrictEqual([...new Set(types)], ["text", "bigint", "jsonb", "bigint[]", "text[]", "timestamptz"])
    }).pipe(Effect.provide(fresh)))

  it.effect("refuses what cannot be in a transaction", () =>
    Effect.forEach([
      "CREATE INDEX CONCURRENTLY a ON loom.b (c);",
      "DROP INDEX CONCURRENTLY a;",
      "VACUUM loom.a;",
      "COMMIT;"
    ], (sql) =>
      Effect.map(Effect.flip(PostgresMigrations.validate([Migrations.fromSql(1, "a", sql)])), ({ message }) =>
        assert.match(message, /^0001_a\.sql: statement 1 cannot be in a transaction/)), { discard: true }))
})
