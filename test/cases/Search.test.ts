/**
 * The search steps of the cases of writing and tenancy, with the test embedder: T01, T11, T15, T17, T33, T35 a. Those that
 * ask by other words than the text are in `SearchMeaning.test.ts`.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { failingText } from "../../src/platform/EmbedderTest.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, post } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import { rounds } from "../support/Rounds.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

const search = (namespace: string, query: string, fields: object = {}) =>
  ok(MemorySearch, { namespace, query, ...fields })

const keysOf = ({ results }: typeof MemorySearch.answer.Type) => results.map(({ memory_key }) => memory_key)

const find = (namespace: string, query: string, fields: object = {}) =>
  Effect.map(search(namespace, query, fields), keysOf)

// A pool of connections would be empty long before either.
const EMPTY_SEARCHES = rounds({ some: 150, all: 500 })

const legs = ["vector", "lexical", "chunks"] as const

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Search cases", (it) => {
  it.effect("T01: 20 writes of one claim are one hit", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* Effect.forEach(numbers(20), (index) =>
        ok(MemorySet, { namespace, memory_key: `u/coffee/${index}`, value: "Otto likes oat coffee" }), {
        concurrency: "unbounded"
      })
      assert.strictEqual((yield* search(namespace, "oat coffee")).results.length, 1)
      yield* ok(MemorySet, { namespace, memory_key: "u/other", value: "Otto likes nothing" })
      yield* ok(MemoryUpdate, { namespace, memory_key: "u/other", value: "Otto likes oat coffee!" })
      assert.strictEqual((yield* search(namespace, "oat coffee")).results.length, 1)
      assert.strictEqual((yield* search(namespace, "oat coffee", { include_duplicates: true })).results.length, 2)
    }))

  it.effect("T11: a deleted memory is on no leg at once; a restore brings all back; an update drops the old words", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const key = { namespace, memory_key: "ops/vpn" }
      const long = `Vault door code name is HERON-77. ${
        "Plain words to make it long. ".repeat(80)
      } The last word is marzipan.`
      yield* ok(MemorySet, { ...key, value: long, entities: ["heron gate"] })
      const queries: ReadonlyArray<readonly [string, object]> = [
        ["HERON-77", {}],
        ["code name of the vault door", {}],
        ["vault", { entity_filter: ["Heron Gates"] }],
        ["marzipan", {}],
        [long.slice(0, 1_000), {}],
        ...legs.map((leg) => ["vault marzipan", { legs: [leg] }] as const)
      ]
      const hits = Effect.forEach(queries, ([query, fields]) => find(namespace, query, fields), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* hits, queries.map(() => ["ops/vpn"]))
      yield* ok(MemoryDelete, key)
      assert.deepStrictEqual(yield* hits, queries.map(() => []))
      yield* ok(MemoryRestore, key)
      assert.deepStrictEqual(yield* hits, queries.map(() => ["ops/vpn"]))
      yield* ok(MemoryUpdate, { ...key, value: "There is a door" })
      for (const leg of ["lexical", "chunks"]) {
        assert.deepStrictEqual(yield* find(namespace, "HERON-77 marzipan", { legs: [leg] }), [])
      }
    }))

  it.effect("entities find what no word does, tags order without hiding, and the parts of a score add up", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const set = (memory_key: string, value: string, fields: object) =>
        ok(MemorySet, { namespace, memory_key, value, ...fields })
      yield* set("door/hours", "It opens at nine", { entities: ["Heron Gate"], tags: ["draft"] })
      yield* set("door/key", "She keeps the spare one", { entities: ["the heron gates"], tags: ["checked"] })
      yield* set("tea", "Tea is served at four", { entities: ["kitchen"], tags: ["checked"] })
      const byEntity = { legs: ["entities"], explain: true }
      const asked = "What of the HERON-GATES?"
      assert.sameMembers([...yield* find(namespace, asked, byEntity)], ["door/hours", "door/key"])
      assert.deepStrictEqual(yield* find(namespace, "What of the herons?", byEntity), [])
      for (const [up, down] of [["draft", "checked"], ["checked", "draft"]]) {
        const { degraded, results } = yield* search(namespace, asked, {
          ...byEntity,
          tags_soft: [up],
          demote_tags: [down]
        })
        assert.deepStrictEqual([results.map(({ tags }) => tags), degraded], [[[up], [down]], []])
        for (const { score, score_components } of results) {
          const parts = Object.values(score_components ?? {})
          assert.closeTo(parts.reduce((sum, part) => sum + part, 0), score, 1e-6)
          assert.isAbove(score_components?.entities ?? 0, 0)
        }
      }
      assert.strictEqual((yield* find(namespace, asked, { demote_tags: ["draft", "checked"] })).length, 3)
    }))

  it.effect(
    "T15: what a filter or a question holds is literal, and foreign rows stay away",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const [index, space] of [`${namespace}-2`, `${namespace}x`, namespace].entries()) {
          yield* ok(MemorySet, {
            namespace: space,
            user_id: "ada",
            memory_key: "u/a",
            value: `SENTINEL number ${index}`,
            tags: ["a"]
          })
        }
        const texts = ["\") or true or (\"", "' OR '1'='1", "x') UNION ALL SELECT 1 --", "\\", "{p:String}", "%"]
        const questions = [
          "`",
          "_",
          "*",
          "--",
          "\"",
          "SENTINEL' --",
          "sentinel OR 1=1",
          "NEAR(a b)",
          "-SENTINEL",
          "tag:a",
          "(((",
          "\u0000"
        ]
        for (const query of [...texts, ...questions]) {
          const asked = yield* post("memory.search", { namespace, query })
          assert.include([200, 422], asked.status, `${query} ${asked.text}`)
          assert.notMatch(asked.text, /SENTINEL number [01]/, query)
        }
        for (const text of texts) {
          const bodies = [
            ...["user_id", "agent", "agent_id", "session_id", "run_id", "memory_type"].map((field) => ({
              query: "SENTINEL",
              [field]: text
            })),
            ...["tags", "tags_every", "session_ids", "entity_filter"].map((field) => ({
              query: "SENTINEL",
              [field]: [text]
            })),
            { query: "SENTINEL", namespace: text }
          ]
          const replies = yield* Effect.forEach(
            bodies,
            (body) => Effect.map(post("memory.search", { namespace, ...body }), (reply) => ({ body, reply })),
            { concurrency: 4 }
          )
          for (const { body, reply } of replies) {
            const told = `${JSON.stringify(body)}: ${reply.status} ${reply.text.slice(0, 300)}`
            assert.include([200, 422], reply.status, told)
            assert.notInclude(reply.text, "SENTINEL number", told)
          }
          const kept = yield* post("memory.search", {
            namespace,
            query: "SENTINEL",
            exclude_keys: [text],
            tags_none: [text]
          })
          assert.strictEqual(kept.status, 200, kept.text)
          assert.include(kept.text, "SENTINEL number 2", text)
        }
      }),
    60_000
  )

  it.effect("T17: a row under unusual names is found by its owner alone", () =>
    Effect.gen(function*() {
      const names = [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "a:b",
        "team_a",
        "50%",
        "o'neil",
        "x|{y}",
        "n".repeat(200),
        "a\\b"
      ]
      const base = freshNamespace()
      yield* Effect.forEach(names, (name, index) =>
        ok(MemorySet, {
          namespace: `${base}${name}`,
          agent: name,
          user_id: name,
          session_id: name,
          memory_key: `k/${name}`,
          value: `The barn holds number ${index}`
        }), { concurrency: 8 })
      yield* Effect.forEach(names, (name, index) =>
        Effect.gen(function*() {
          const namespace = `${base}${name}`
          for (
            const fields of [{}, { agent: name, user_id: name, session_id: name }, {
              agent_id: name,
              session_ids: [name]
            }]
          ) {
            const found = yield* search(namespace, "what does the barn hold", fields)
            assert.deepStrictEqual(
              found.results.map((hit) => hit.content_excerpt),
              [`The barn holds number ${index}`],
              name
            )
          }
          for (const fields of [{ user_id: "other" }, { exclude_keys: [`k/${name}`] }]) {
            assert.deepStrictEqual(yield* find(namespace, "what does the barn hold", fields), [], name)
          }
        }), { concurrency: 4 })
    }), 60_000)

  it.effect("T33: nine of ten are found when the embedder fails for one, and the one is not", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(MemoryBulkSet, {
        namespace,
        items: numbers(10).map((index) => ({
          memory_key: `t/${index}`,
          value: `The barn row ${index}${index === 4 ? ` ${failingText}` : ""}`
        }))
      })
      assert.deepStrictEqual(
        (yield* find(namespace, "the barn row", { top_k: 20 })).sort(),
        numbers(10).filter((index) => index !== 4).map((index) => `t/${index}`).sort()
      )
      const degraded = yield* post("memory.search", { namespace, query: `the barn row ${failingText}` })
      assert.strictEqual(degraded.status, 200, degraded.text)
      assert.match(degraded.text, /"degraded":\["vector_[a-z]+"/)
      assert.include(degraded.text, "t/1")
    }))

  it.effect(
    `T35 a: ${EMPTY_SEARCHES} parallel searches without a match leave nothing behind`,
    () =>
      Effect.gen(function*() {
        const { pid } = yield* LoomServer.LoomServer
        const namespace = freshNamespace()
        yield* ok(MemorySet, { namespace, memory_key: "t/1", value: "The barn row" })
        const files = () => existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0
        yield* Effect.forEach(numbers(16), () => search(namespace, "the barn row"), { concurrency: 8 })
        const before = files()
        const replies = yield* Effect.forEach(
          numbers(EMPTY_SEARCHES),
          (index) => post("memory.search", { namespace, query: `nothing${index} qwertz`, tags: [`no-${index}`] }),
          {
            concurrency: EMPTY_SEARCHES
          }
        )
        // A server may say that it is too busy and that a retry helps; it may not fail.
        for (const reply of replies) {
          assert.include([200, 429], reply.status, reply.text)
          if (reply.status === 200) {
            assert.include(reply.text, "\"results\":[]")
          }
        }
        const began = performance.now()
        assert.deepStrictEqual(yield* find(namespace, "the barn row"), ["t/1"])
        assert.isBelow(performance.now() - began, 1_500)
        // The sockets of this test's own client stay open; the engine's files and pipes must not grow.
        assert.isAtMost(files() - before, EMPTY_SEARCHES + 40)
        const after = files()
        yield* Effect.forEach(numbers(64), (index) => search(namespace, `nothing${index}`, { tags: ["none"] }), {
          concurrency: 8
        })
        assert.isAtMost(files(), after + 10)
      }),
    120_000
  )
})
