import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { NamespaceStore } from "../../src/namespace/NamespaceStore.ts"
import * as NamespaceStoreClickhouse from "../../src/namespace/NamespaceStoreClickhouse.ts"
import { Clickhouse } from "../../src/platform/Clickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { namespace } from "./NamespaceFixture.ts"
import { suite } from "./NamespaceStoreContract.ts"

// One engine for the file: an engine that was closed does not open again in its process.
const shared = Layer.provideMerge(NamespaceStoreClickhouse.layer, layerEngine)

layer(shared, { timeout: 60_000 })("NamespaceStore (ClickHouse)", (it) => {
  it.effect("reads a registration of before there were settings", () =>
    Effect.gen(function*() {
      const { settings: _, ...row } = namespace({ org: "old" })
      yield* (yield* Clickhouse).insert("loom.namespaces", [{
        ...row,
        created_at: new Date(row.created_at),
        updated_at: new Date(row.updated_at)
      }])
      const found = yield* (yield* NamespaceStore).find(row)
      assert.deepEqual(Option.map(found, ({ settings }) => settings), Option.some(noSettings))
    }))
})

suite("ClickHouse", shared)
