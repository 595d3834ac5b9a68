/** A search that finds nothing leaves the engine nothing that a wider search would trip over. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freshScope } from "../memory/MemoryFixture.ts"
import { keysFound, layerSearch, remember } from "./SearchFixture.ts"

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`After a narrow search in ${name}`, (it) => {
    it.effect("the same rows are found by a wider one", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [
          { memory_key: "tea", value: "Green tea is served at nine in the garden", tags: ["t"] },
          { memory_key: "boat", value: "Otto mends a boat", tags: ["t"] }
        ])
        for (const legs of [["vector"], ["lexical"], []] as const) {
          const asked = (tags: ReadonlyArray<string>) => keysFound(scope, "green tea", { tags }, { legs })
          for (let turn = 0; turn < 3; turn++) {
            assert.deepStrictEqual(yield* asked(["u"]), [])
            assert.include(yield* asked(["t"]), "tea")
            assert.include(yield* asked([]), "tea")
          }
        }
      }))
  })
}
