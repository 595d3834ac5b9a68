import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine, layerEngineUrl } from "./MemoryEngine.ts"
import { commitOf, freshScope, rowOf, versionAt, noon, derivedOf, embedderId } from "./MemoryFixture.ts"
for (const [name, l] of [["in", layerEngine], ["url", layerEngineUrl]] as const)
testLayer(Layer.provide(MemoryStoreClickhouse.layer, l))(name, (it) => {
  it.effect("big", () => Effect.gen(function*() {
    const store = yield* MemoryStore
    const scope = freshScope()
    const rows = Array.from({ length: 1500 }, (_, i) => rowOf(scope, { agent: "\u{1f9f5}".repeat(120), user_id: "\u00e9".repeat(250), memory_key: "\u4e2d".repeat(500) + i, version: versionAt(noon + i) }))
    yield* store.commit(commitOf(rows))
    console.log((yield* store.rows(scope, rows)).length)
    console.log((yield* store.probe(scope, { keys: rows.slice(0, 500).map((r) => r.memory_key), ids: [], canonical: [], content: rows.slice(0, 500).map((r) => ({ agent: r.agent, user_id: r.user_id, sha256: r.content_sha256 })) })).length)
    yield* store.commit(commitOf([], { derived: rows.map((r) => derivedOf({ ...r, content_sha256: "x" })) }))
    console.log((yield* store.repair(scope, embedderId)).orphans)
    console.log((yield* store.repair(scope, embedderId)).orphans)
  }))
})
