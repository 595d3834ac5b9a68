/** What the index remembers of a scope is its size, and never that it could not be read. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { Clickhouse } from "../../src/platform/Clickhouse.ts"
import * as SearchIndexClickhouse from "../../src/retrieval/SearchIndexClickhouse.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"
import { anyRow, commit, layerSearch, memory } from "./SearchFixture.ts"

const scope = { org: "acme", namespace: "sizes" }

layer(layerSearch())("SearchIndexClickhouse", (it) => {
  it.effect("asks again for a size that could not be read", () =>
    Effect.gen(function*() {
      yield* commit([memory(scope, { memory_key: "tea", value: "Green tea is in the tin" })])
      const clickhouse = yield* Clickhouse
      let broken = true
      const index = yield* SearchIndexClickhouse.make(SearchIndexClickhouse.defaultOptions).pipe(
        Effect.provideService(Clickhouse, {
          ...clickhouse,
          query: (statement, row) =>
            broken && statement.operation === "SearchIndex.size"
              ? Effect.fail(new Unavailable({ operation: statement.operation }))
              : clickhouse.query(statement, row)
        })
      )
      const found = index.lexical(scope, anyRow, termGroups("green tea"), 5)
      assert.strictEqual((yield* Effect.flip(found))._tag, "Unavailable")
      broken = false
      assert.deepStrictEqual((yield* found).hits.map(({ head }) => head.memory_key), ["tea"])
    }))
})
