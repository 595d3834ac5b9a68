/**
 * How a search orders and shows, over HTTP: an excerpt of a long value is verbatim parts with their places, the parts of a
 * score add up, and the time that a question names counts.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MARK } from "../../src/retrieval/Excerpt.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("The order and the excerpts of a search", (it) => {
  it.effect("the sentences that answer are shown from both ends of a long value, with who said them and where", () =>
    Effect.gen(function*() {
      const token = (yield* Tokens).admin
      const namespace = freshNamespace()
      const noise = "[7 May 2023] Ada: The weather was fine and the boats went out as on any other day.\n".repeat(40)
      const first = "[8 May 2023] Mira: The kiln cracked after the second firing."
      const last = "[9 May 2023] Mira: A new kiln came from Otto on Tuesday."
      const value = `${first}\n${noise}${last}`
      yield* ok(MemorySet, { namespace, memory_key: "talk", value }, { token })
      const found = yield* ok(MemorySearch, { namespace, query: "What happened to the kiln of Mira?", explain: true }, {
        token
      })
      const [hit] = found.results
      assert.include(hit?.content_excerpt, first)
      assert.include(hit?.content_excerpt, last)
      assert.strictEqual(
        hit?.content_excerpt,
        hit?.excerpt_parts.map(({ end, start }) => value.slice(start, end)).join(MARK)
      )
      const parts = Object.values<number>({ ...hit?.score_components }).reduce((sum, part) => sum + part, 0)
      assert.closeTo(parts, hit?.score ?? -1, 1e-5)
    }))

  it.effect("of two memories that say the same, the one of the time that is asked about comes first", () =>
    Effect.gen(function*() {
      const token = (yield* Tokens).admin
      const namespace = freshNamespace()
      const set = (memory_key: string, valid_at: string) =>
        ok(MemorySet, { namespace, memory_key, value: `Mira had dinner with guest ${memory_key}`, valid_at }, { token })
      yield* set("a", "2023-05-04T12:00:00Z")
      yield* set("b", "2023-09-04T12:00:00Z")
      const keys = (query: string) =>
        Effect.map(
          ok(MemorySearch, { namespace, query }, { token }),
          ({ results }) => results.map(({ memory_key }) => memory_key)
        )
      assert.deepStrictEqual(yield* keys("Whom did Mira have dinner with in May 2023?"), ["a", "b"])
      assert.deepStrictEqual(yield* keys("Whom did Mira have dinner with on 3 September, 2023?"), ["b", "a"])
    }))
})
