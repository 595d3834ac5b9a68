/**
 * Every table and column of the migrations is listed in the registry, so that no erasure, export, rollback or pruning
 * can overlook one.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readSchema } from "../../src/kernel/SchemaText.ts"
import { differences, tables } from "../../src/kernel/Tables.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"

const compared = (more: ReadonlyArray<string>) =>
  Effect.map(Effect.all([ClickhouseMigrations.load(), PostgresMigrations.load()]), (migrations) => {
    const schema = readSchema([...migrations.flat().flatMap(({ statements }) => statements), ...more])
    const columns = new Map(
      [...schema.tables.values()].map((table) => [table.name, table.columns.map(({ name }) => name)])
    )
    // Made by the migrator itself, before any migration.
    return differences(columns.set("migrations", ["id", "name", "checksum", "applied_at"]))
  })

describe("Tables", () => {
  it.effect("lists what the migrations make, and nothing else", () =>
    Effect.map(compared([]), (lines) => assert.deepStrictEqual(lines, [])))

  it.effect("notices a migration that adds, widens or removes a table", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* compared([
          "CREATE TABLE IF NOT EXISTS loom.stray\n(\n  org String,\n  note String\n)\nENGINE = MergeTree ORDER BY org"
        ]),
        ["stray is not listed"]
      )
      assert.deepStrictEqual(
        yield* compared([
          "ALTER TABLE loom.memory ADD COLUMN IF NOT EXISTS mood LowCardinality(String) COMMENT 'a, (b'"
        ]),
        ["memory.mood is not listed"]
      )
      assert.deepStrictEqual(
        yield* compared(["ALTER TABLE loom.memory_chunks DROP COLUMN IF EXISTS text"]),
        ["memory_chunks.text is listed and not there"]
      )
      assert.deepStrictEqual(yield* compared(["DROP TABLE IF EXISTS loom.tokens"]), ["tokens is listed and not there"])
    }))

  it("erases by rows only where rows say whose they are, and keeps no content where it keeps", () => {
    for (const [name, { columns, erase, person }] of Object.entries(tables)) {
      if (person !== null) assert.include(columns.identity, person, name)
      if (erase === "rows" || erase === "blank") assert.isNotNull(person, name)
      if (erase === "scope") assert.include(columns.scope, "namespace", name)
      // A hash in the audit chain proves that something was there; it is all that may stay.
      if (erase === "keep" || erase === "blank") assert.includeMembers(["content_sha256"], [...columns.content], name)
    }
  })
})
