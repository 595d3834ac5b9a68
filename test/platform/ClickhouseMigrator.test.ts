import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ch, Clickhouse, layerUrl } from "../../src/platform/Clickhouse.ts"
import { ClickhouseEngineServer } from "../../src/platform/ClickhouseEngineServer.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { layerServer, layerTemp, quiet, token } from "./ClickhouseTemp.ts"

const first = ClickhouseMigrations.fromSql(
  1,
  "notes",
  `-- Notes;
CREATE TABLE IF NOT EXISTS loom.notes (id UInt64, text String DEFAULT 'a;b') ENGINE = ReplacingMergeTree ORDER BY id;

INSERT INTO loom.notes (id) VALUES (1), (2);
`
)
const second = ClickhouseMigrations.fromSql(
  2,
  "authors",
  "ALTER TABLE loom.notes ADD COLUMN IF NOT EXISTS author String;\n"
)

const recorded = Effect.flatMap(Clickhouse, ({ query }) =>
  query(
    ch.sql("test.recorded")`SELECT id, name FROM loom.migrations ORDER BY id, applied_at`,
    Schema.Struct({ id: Schema.Int, name: Schema.String })
  ))

const names = (migrations: ReadonlyArray<ClickhouseMigrations.Migration>) =>
  migrations.map(ClickhouseMigrations.fileName)

const refusalOf = (migrations: ReadonlyArray<ClickhouseMigrations.Migration>) =>
  Effect.map(
    Effect.flip(ClickhouseMigrator.run(migrations)),
    (error) => error._tag === "MigrationRefused" ? `${error.reason} ${error.migration}` : error._tag
  )

describe("ClickhouseMigrator", () => {
  it.live("runs what is pending once, reports it, and refuses another past", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(names(yield* ClickhouseMigrator.pending([first, second])), [
        "0001_notes.sql",
        "0002_authors.sql"
      ])
      const outdated = yield* Effect.flip(ClickhouseMigrator.requireCurrent([first]))
      assert.strictEqual(outdated.message, "The database lacks 0001_notes.sql: run the migrations first")
      assert.deepStrictEqual(names(yield* ClickhouseMigrator.run([first])), ["0001_notes.sql"])
      assert.deepStrictEqual(names(yield* ClickhouseMigrator.run([first, second])), ["0002_authors.sql"])
      assert.deepStrictEqual(yield* ClickhouseMigrator.run([first, second]), [])
      yield* ClickhouseMigrator.requireCurrent([first, second])

      const changed = ClickhouseMigrations.fromSql(
        1,
        "notes",
        "CREATE TABLE IF NOT EXISTS loom.other (id UInt64) ENGINE = Memory;"
      )
      const third = ClickhouseMigrations.fromSql(
        3,
        "third",
        "CREATE TABLE IF NOT EXISTS loom.third (id UInt64) ENGINE = Memory;"
      )
      assert.strictEqual(yield* refusalOf([changed, second, third]), "changed 0001_notes.sql")
      assert.strictEqual(yield* refusalOf([first, { ...second, name: "writers" }]), "changed 0002_authors.sql")
      assert.strictEqual(yield* refusalOf([first]), "missing 0002_authors.sql")
      assert.strictEqual(yield* refusalOf([]), "missing 0001_notes.sql")
      assert.strictEqual((yield* Effect.flip(ClickhouseMigrator.requireCurrent([first])))._tag, "MigrationRefused")
      assert.deepStrictEqual(yield* recorded, [{ id: 1, name: "notes" }, { id: 2, name: "authors" }])

      const clickhouse = yield* Clickhouse
      yield* clickhouse.insert("loom.migrations", [{ id: 4, name: "fourth", checksum: second.checksum }])
      const fourth = { ...second, id: 4, name: "fourth" }
      assert.strictEqual(yield* refusalOf([first, second, third, fourth]), "out_of_order 0003_third.sql")
    }).pipe(Effect.provide(layerTemp())))

  it.live("runs a migration again that broke off", () =>
    Effect.gen(function*() {
      const broken = { ...first, statements: [...first.statements, "INSERT INTO loom.missing SELECT 1"] }
      assert.strictEqual((yield* Effect.flip(ClickhouseMigrator.run([broken])))._tag, "Unavailable")
      assert.deepStrictEqual(yield* recorded, [])
      assert.deepStrictEqual(names(yield* ClickhouseMigrator.run([first])), ["0001_notes.sql"])
      assert.deepStrictEqual(yield* recorded, [{ id: 1, name: "notes" }])
    }).pipe(Effect.provide(layerTemp())))

  it.live("is safe when several start at once, and takes over from one that died", () =>
    Effect.gen(function*() {
      const { url } = yield* ClickhouseEngineServer
      const slow = ClickhouseMigrations.fromSql(
        1,
        "slow",
        "CREATE TABLE IF NOT EXISTS loom.runs (at DateTime64(3)) ENGINE = MergeTree ORDER BY at;\n" +
          "INSERT INTO loom.runs SELECT now64(3) FROM (SELECT sleep(1));\n"
      )
      const migrate = (migrations: ReadonlyArray<ClickhouseMigrations.Migration>) =>
        Effect.provide(ClickhouseMigrator.run(migrations), layerUrl({ url, password: token }))
      const reports = yield* Effect.forEach([1, 2, 3], () => migrate([slow]), { concurrency: "unbounded" })
      assert.deepStrictEqual(reports.map(names).sort(), [[], [], ["0001_slow.sql"]])
      yield* Effect.gen(function*() {
        const { command, query } = yield* Clickhouse
        const runs = ch.sql("test.runs")`SELECT count() AS runs FROM loom.runs`
        assert.deepStrictEqual(yield* query(runs, Schema.Struct({ runs: Schema.String })), [{ runs: "1" }])
        assert.deepStrictEqual(yield* recorded, [{ id: 1, name: "slow" }])
        // What a holder leaves behind that died with the lock.
        yield* command(ch.sql("test.lock")`
          CREATE TABLE loom.migrations_lock (beat UInt64) ENGINE = MergeTree ORDER BY beat COMMENT 'dead'`)
      }).pipe(Effect.provide(layerUrl({ url, password: token })))
      assert.deepStrictEqual(names(yield* migrate([slow, { ...second, statements: ["SELECT 1"] }])), [
        "0002_authors.sql"
      ])
    }).pipe(Effect.provide(Layer.merge(layerServer(), quiet))))
})

const withFiles = <A, E>(files: Record<string, string>, use: (folder: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "loom-migrations-"))
      mkdirSync(folder, { recursive: true })
      for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql)
      return folder
    }),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

describe("ClickhouseMigrations", () => {
  it("splits statements at a semicolon that ends a line and drops comment lines", () => {
    assert.deepStrictEqual(first.statements, [
      "CREATE TABLE IF NOT EXISTS loom.notes (id UInt64, text String DEFAULT 'a;b') ENGINE = ReplacingMergeTree ORDER BY id",
      "INSERT INTO loom.notes (id) VALUES (1), (2)"
    ])
    const sql = "SELECT 1;\nSELECT 2;\n"
    assert.deepStrictEqual(
      ClickhouseMigrations.fromSql(1, "a", sql.replaceAll("\n", "\r\n")),
      ClickhouseMigrations.fromSql(1, "a", sql)
    )
  })

  it.effect("finds the project's own migrations, all of which can be repeated", () =>
    Effect.gen(function*() {
      const migrations = yield* ClickhouseMigrations.load()
      assert.isNotEmpty(migrations)
      assert.deepStrictEqual(migrations.map(({ id }) => id), migrations.map((_, index) => index + 1))
    }))

  const faults: Record<string, Record<string, string>> = {
    "a gap": { "0001_a.sql": "SELECT 1;", "0003_b.sql": "SELECT 1;" },
    "a number twice": { "0001_a.sql": "SELECT 1;", "0001_b.sql": "SELECT 1;" },
    "a wrong name": { "1_a.sql": "SELECT 1;" },
    "no statement": { "0001_a.sql": "-- nothing\n" },
    "a table made twice": { "0001_a.sql": "CREATE TABLE loom.a (id UInt64) ENGINE = Memory;" },
    "a column added twice": { "0001_a.sql": "ALTER TABLE loom.a ADD COLUMN b String;" },
    "a drop": { "0001_a.sql": "DROP TABLE loom.a;" },
    "a rename": { "0001_a.sql": "RENAME TABLE loom.a TO loom.b;" }
  }
  for (const [name, files] of Object.entries(faults)) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* withFiles(files, (folder) => Effect.flip(ClickhouseMigrations.load(folder)))
        assert.strictEqual(error._tag, "MigrationInvalid")
      }))
  }

  it.effect("loads a folder in order", () =>
    Effect.gen(function*() {
      const files = {
        "0002_b.sql": "ALTER TABLE loom.a ADD COLUMN IF NOT EXISTS b String, DROP COLUMN IF EXISTS c;",
        "0001_a.sql": "CREATE OR REPLACE VIEW loom.v AS SELECT 1;",
        "README.md": "no migration"
      }
      assert.deepStrictEqual(names(yield* withFiles(files, ClickhouseMigrations.load)), ["0001_a.sql", "0002_b.sql"])
    }))
})
