import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { servedIn } from "../../src/memory/MemoryModel.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { keysFound, layerSearch, remember } from "./SearchFixture.ts"

const value = "Green tea is served at nine"
// Its last words are in no excerpt, only in its last passage.
const long = `${value}. ${"Nothing else of note. ".repeat(70)}The harbour crane is red.`

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`Filters in ${name}`, (it) => {
    const seed = (value: string, everywhere: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [
          {
            memory_key: "none",
            value,
            run_id: "r1",
            confidence: 0.2,
            created_at: noon - 3000,
            entities: everywhere
          },
          {
            memory_key: "a",
            value,
            tags: ["a"],
            entities: ["billing service", ...everywhere],
            agent: "coder",
            created_at: noon - 2000
          },
          {
            memory_key: "ab",
            value,
            tags: ["a", "b"],
            entities: ["billing service", "mira", ...everywhere],
            user_id: "u1",
            created_at: noon - 1000
          },
          { memory_key: "A", value, tags: ["A"], session_id: "s1", memory_type: "decision", entities: everywhere },
          { memory_key: "lesson", value, memory_type: "reflection", session_id: "s2", entities: everywhere },
          { memory_key: "twin", value, status: "duplicate", run_id: "r2", entities: everywhere },
          { memory_key: "old", value, status: "superseded", valid_to: noon - 1, entities: everywhere },
          { memory_key: "maybe", value, status: "proposed", entities: everywhere }
        ])
        return scope
      })
    const seeded = seed(value, [])

    const tables: ReadonlyArray<readonly [filter: Partial<SearchFilter>, keys: ReadonlyArray<string>]> = [
      [{}, ["none", "a", "ab", "A"]],
      [{ tags: ["a"] }, ["a", "ab"]],
      [{ tags: ["a", "A"] }, ["a", "ab", "A"]],
      [{ tags: ["c"] }, []],
      [{ tags: [], tags_every: [], tags_none: [], entities: [], exclude_keys: [], session_ids: [] }, [
        "none",
        "a",
        "ab",
        "A"
      ]],
      [{ tags_every: ["a", "b"] }, ["ab"]],
      [{ tags_none: ["b"] }, ["none", "a", "A"]],
      [{ tags: ["a"], tags_none: ["b"] }, ["a"]],
      [{ entities: ["billing service"] }, ["a", "ab"]],
      [{ entities: ["billing service", "mira"] }, ["ab"]],
      [{ exclude_keys: ["a", "none"] }, ["ab", "A"]],
      [{ agent: "coder" }, ["a"]],
      [{ agent: "" }, ["none", "ab", "A"]],
      [{ user_id: "u1" }, ["ab"]],
      [{ user_id: "-" }, ["none", "a", "A"]],
      [{ session_ids: ["s1"] }, ["A"]],
      [{ session_ids: ["s1", "s2"] }, ["A"]],
      [{ session_ids: ["s1", ""] }, ["none", "a", "ab", "A"]],
      [{ run_id: "r1" }, ["none"]],
      [{ run_id: "r2" }, []],
      // What a run said is served to it, though another row answers for it.
      [{ run_id: "r2", statuses: servedIn("r2") }, ["twin"]],
      [{ memory_type: "decision" }, ["A"]],
      [{ memory_type: "reflection" }, ["lesson"]],
      [{ memory_type: "episodic" }, []],
      [{ confidence_gte: 0.5 }, ["a", "ab", "A"]],
      [{ confidence_gte: 0.75 }, ["a", "ab", "A"]],
      [{ created_after: noon - 2000 }, ["a", "ab", "A"]],
      [{ created_before: noon - 2000 }, ["none"]],
      [{ created_after: noon - 2000, created_before: noon }, ["a", "ab"]],
      [{ statuses: ["active", "duplicate"] }, ["none", "a", "ab", "A", "twin"]],
      [{ statuses: ["active", "superseded"] }, ["none", "a", "ab", "A", "old"]],
      [{ statuses: ["active", "proposed"] }, ["none", "a", "ab", "A", "maybe"]]
    ]

    const injections = [
      `") or true or ("`,
      "' OR '1'='1",
      "x') UNION ALL SELECT value FROM loom.memory --",
      "\\",
      "\\'",
      "`",
      "{p1:String}",
      "{p1: String}",
      "%",
      "_",
      "\0",
      "a\nb",
      "/* */",
      "); DROP TABLE loom.memory; --"
    ]

    describe("filters", () => {
      it.effect("one that leaves nothing takes nothing from the next answer, in any leg", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, [{ memory_key: "gate", value: "It opens at nine", entities: ["mira"] }])
          for (const [query, leg] of [["Mira", "entities"], ["opens", "lexical"], ["opens", "vector"]] as const) {
            const legs = { legs: [leg] }
            assert.deepStrictEqual(yield* keysFound(scope, query, { tags: ["absent"] }, legs), [], leg)
            assert.deepStrictEqual(yield* keysFound(scope, query, {}, legs), ["gate"], leg)
          }
        }))

      it.effect("are the exact algebra of sets, in every leg", () =>
        Effect.gen(function*() {
          const scope = yield* seeded
          for (const [filter, keys] of tables) {
            // Closeness alone finds every row that passes, words alone every one that holds them: all do.
            for (const legs of [["vector"], ["lexical"]] as const) {
              const found = yield* keysFound(scope, "green tea", filter, { legs, limit: 50 })
              assert.deepStrictEqual([...found].sort(), [...keys].sort(), JSON.stringify({ filter, legs }))
            }
          }
        }), 60_000)

      it.effect("hold for passages and for entities as they do for words and vectors", () =>
        Effect.gen(function*() {
          const scope = yield* seed(long, ["heron gate"])
          for (const [filter, keys] of tables) {
            for (const [query, leg] of [["harbour crane", "chunks"], ["the Heron Gates", "entities"]] as const) {
              const found = yield* keysFound(scope, query, filter, { legs: [leg], limit: 50 })
              assert.deepStrictEqual([...found].sort(), [...keys].sort(), JSON.stringify({ filter, leg }))
            }
          }
        }), 120_000)

      it.effect("take every text literally", () =>
        Effect.gen(function*() {
          const scope = yield* seeded
          for (const [at, text] of injections.entries()) {
            const filters: ReadonlyArray<Partial<SearchFilter>> = [
              { user_id: text },
              { agent: text },
              { session_ids: [text] },
              { run_id: text },
              { memory_type: text },
              { tags: [text] },
              { tags_every: [text] },
              { entities: [text] }
            ]
            // Each filter meets many of the texts; a quarter of all pairs is enough to meet every fault twice.
            for (const filter of filters.filter((_, index) => (index + at) % 4 === 0)) {
              assert.deepStrictEqual(yield* keysFound(scope, text, filter), [], JSON.stringify(filter))
            }
            assert.lengthOf(yield* keysFound(scope, "green tea", { tags_none: [text], exclude_keys: [text] }), 4, text)
          }
          const [first = ""] = injections
          assert.deepStrictEqual(yield* keysFound({ ...scope, namespace: first }, "green tea"), [])
          assert.deepStrictEqual(yield* keysFound({ ...scope, org: first }, "green tea"), [])
        }), 120_000)

      it.effect("names with odd signs are found by their owner alone", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const names = [
            "acme-prod",
            "2f1c7a34-9c1e-4b8e-a5a3-0d3d5b2f6c11",
            "a:b/c.d@e",
            "team_a",
            "50%",
            "o'neil",
            "x|y",
            "{z}",
            "n".repeat(200)
          ]
          yield* remember(
            scope,
            names.map((name) => ({ memory_key: name, value: `Green tea for ${name}`, user_id: name }))
          )
          for (const name of names) {
            assert.deepStrictEqual(yield* keysFound(scope, "green tea", { user_id: name }, { legs: ["lexical"] }), [
              name
            ])
            assert.strictEqual((yield* keysFound(scope, name))[0], name)
          }
        }))
    })
  })
}
