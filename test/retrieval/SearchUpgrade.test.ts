/** A store of before the small forms of vectors is searched as one of today, before and after the engine has stored them. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { Clickhouse } from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import * as SearchLayer from "../../src/retrieval/Search.ts"
import * as SearchIndexClickhouse from "../../src/retrieval/SearchIndexClickhouse.ts"
import { layerTemp } from "../platform/ClickhouseTemp.ts"
import { find, remember } from "./SearchFixture.ts"

const layerHouse = SearchLayer.layer.pipe(
  Layer.provide([RankPolicy.layer, GatePolicy.layer]),
  Layer.provideMerge(SearchIndexClickhouse.layerWith({ smallScope: 0 })),
  Layer.provideMerge(MemoryStoreClickhouse.layer),
  Layer.provideMerge(EmbedderTest.layerTest),
  Layer.provideMerge(layerTemp())
)

it.live("rows of an older store are found after the upgrade, by their vectors too", () =>
  Effect.gen(function*() {
    const scope = { org: "acme", namespace: "old" }
    const all = yield* ClickhouseMigrations.load()
    yield* ClickhouseMigrator.run(all.filter(({ id }) => id < 6))
    yield* remember(scope, [
      { memory_key: "bird", value: "A heron stands in the pond" },
      { memory_key: "tea", value: "Ann drinks green tea" }
    ])
    yield* ClickhouseMigrator.run(all)
    const cosines = Effect.map(find(scope, "who drinks green tea", {}, { legs: ["vector"] }), ({ degraded, hits }) => {
      assert.deepStrictEqual(degraded, [])
      return hits.map(({ candidate: { head }, similarity }) => [head.memory_key, similarity] as const)
    })
    const before = yield* cosines
    assert.deepStrictEqual([before.length, before[0]?.[0]], [2, "tea"])
    assert.isAbove(before[0]?.[1] ?? 0, 0.5)
    yield* remember(scope, [{ memory_key: "coffee", value: "Ben drinks coffee" }])
    const clickhouse = yield* Clickhouse
    yield* clickhouse.command({
      operation: "test.merge",
      text: "OPTIMIZE TABLE loom.memory_embeddings FINAL",
      params: {}
    })
    const after = yield* cosines
    assert.deepStrictEqual(after.filter(([key]) => key !== "coffee"), before)
  }).pipe(Effect.provide(layerHouse)), 120_000)
