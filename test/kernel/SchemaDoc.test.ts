/**
 * `docs/schema.md` says what the migrations make, and the reader of migrations sees what the engine sees.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync, writeFileSync } from "node:fs"
import { schemaDoc } from "../../src/kernel/SchemaDoc.ts"
import { readSchema } from "../../src/kernel/SchemaText.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import type { Migration } from "../../src/platform/Migrations.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"

const schemaOf = <E>(...loaded: ReadonlyArray<Effect.Effect<ReadonlyArray<Migration>, E>>) =>
  Effect.map(
    Effect.all(loaded),
    (migrations) => readSchema(migrations.flat().flatMap(({ statements }) => statements))
  )

const migrated = schemaOf(ClickhouseMigrations.load())
const both = schemaOf(ClickhouseMigrations.load(), PostgresMigrations.load())

const file = new URL("../../docs/schema.md", import.meta.url)

// Made by the migrator itself, before any migration.
const ofMigrator = ["migrations"]

describe("SchemaDoc", () => {
  layer(layerEngine)((it) => {
    it.effect("docs/schema.md is current", () =>
      Effect.gen(function*() {
        const text = schemaDoc(yield* both)
        if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, text)
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }))

    it.effect("reads from the migrations what the engine makes of them", () =>
      Effect.gen(function*() {
        const clickhouse = yield* Clickhouse
        const { tables, views } = yield* migrated
        const made = yield* clickhouse.query(
          ch.sql(
            "test.columns"
          )`SELECT table, name, type, comment FROM system.columns WHERE database = 'loom' AND default_kind != 'EPHEMERAL'
            AND table NOT IN ${ch.array("String", ofMigrator)} AND table NOT IN ${ch.array("String", [...views.keys()])}
            ORDER BY table, position`,
          Schema.Struct({ table: Schema.String, name: Schema.String, type: Schema.String, comment: Schema.String })
        )
        const read = [...tables.values()].sort((left, right) => left.name < right.name ? -1 : 1).flatMap((table) =>
          table.columns.map(({ comment, name, type }) => ({ table: table.name, name, type, comment }))
        )
        assert.deepStrictEqual(read, made)
        const keys = yield* clickhouse.query(
          ch.sql("test.tables")`SELECT name, engine, sorting_key FROM system.tables WHERE database = 'loom'`,
          Schema.Struct({ name: Schema.String, engine: Schema.String, sorting_key: Schema.String })
        )
        const ofEngine = keys.filter(({ name }) => !ofMigrator.includes(name))
        assert.sameMembers([...tables.keys(), ...views.keys()], ofEngine.map(({ name }) => name))
        for (const { engine, name, sorting_key } of ofEngine) {
          const table = tables.get(name)
          if (table === undefined) continue
          assert.strictEqual(table.engine.replace(/\(.*/, ""), engine)
          assert.strictEqual(table.orderBy, sorting_key.replace(/^\((.*)\)$/, "$1"))
        }
      }))

    it.effect("refuses a statement that it cannot read", () =>
      Effect.sync(() => {
        assert.throws(() => readSchema(["COMMENT ON TABLE loom.a IS 'b'"]), /does not know/)
        assert.throws(() => readSchema(["RENAME TABLE loom.a TO loom.b"]), /does not know/)
        assert.throws(() => readSchema(["CREATE TABLE loom.a (b String)", "ALTER TABLE loom.a RENAME COLUMN b TO c"]))
      }))
  })
})
