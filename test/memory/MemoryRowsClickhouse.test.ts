/**
 * The row codec fits the table: no column is unknown to the row and none of the row's is missing there; a stored row
 * that is not one is `Corrupt`, never a guess.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import { encodeRow } from "../../src/memory/MemoryRowsClickhouse.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { freshScope, rowOf } from "./MemoryFixture.ts"

testLayer(Layer.provideMerge(MemoryReaderClickhouse.layer, layerEngine))("MemoryRowsClickhouse", (it) => {
  it.effect("has a field for every column of loom.memory but the revision", () =>
    Effect.gen(function*() {
      const clickhouse = yield* Clickhouse
      const columns = yield* clickhouse.query(
        ch.sql("test.columns")`SELECT name FROM system.columns WHERE database = 'loom' AND table = 'memory'`,
        Schema.Struct({ name: Schema.String })
      )
      assert.sameMembers([...Object.keys(MemoryRow.fields), "revision"], columns.map(({ name }) => name))
    }))

  it.effect("does not answer a stored row that does not decode", () =>
    Effect.gen(function*() {
      const [clickhouse, reader] = [yield* Clickhouse, yield* MemoryReader]
      const scope = freshScope()
      const row = rowOf(scope)
      yield* clickhouse.insert("loom.memory", [{ ...encodeRow(row), status: "unheard-of" }])
      const failure = yield* Effect.flip(reader.byKey(scope, row.memory_key, anyWriter))
      assert.strictEqual(failure._tag, "Corrupt")
      assert.strictEqual(failure.operation, "MemoryReader.byKey")
    }))
})
