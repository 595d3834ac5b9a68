import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "../../src/kernel/Identity.ts"
import { SearchIndex } from "../../src/retrieval/SearchIndex.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { anyRow, change, find, keysFound, layerSearch, type Memory, remember } from "./SearchFixture.ts"

const question = "What about the Heron-Gates?"

const byEntity = (scope: Scope, filter: Partial<SearchFilter> = {}, text = question) =>
  keysFound(scope, text, filter, { legs: ["entities"], limit: 50 })

const partOf = (scope: Scope, key: string, filter: Partial<SearchFilter> = {}, text = question) =>
  Effect.map(
    find(scope, text, filter, { limit: 100 }),
    ({ hits }) => hits.find(({ candidate }) => candidate.head.memory_key === key)?.components.entities
  )

const fillers = (count: number, given: Partial<Memory> = {}): ReadonlyArray<Memory> =>
  Array.from({ length: count }, (_, index) => ({
    memory_key: `filler/${index}`,
    value: `Lamp ${index} is on`,
    ...given
  }))

layer(layerSearch(), { timeout: "2 minutes" })("EntityLeg", (it) => {
  it.effect("a memory that names the entity is found without any word in common, and one step from it too", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      yield* remember(scope, [
        { memory_key: "a", value: "It opens at nine", entities: ["heron gate", "mira"] },
        { memory_key: "b", value: "She has a key", entities: ["mira"] },
        { memory_key: "c", value: "Tea is served", entities: ["kitchen"] },
        { memory_key: "d", value: "Nobody knows" }
      ])
      assert.deepStrictEqual(yield* byEntity(scope), ["a", "b"])
      assert.deepStrictEqual((yield* find(scope, question)).degraded, [])
      assert.strictEqual(yield* partOf(scope, "a"), 0.2)
      const near = (yield* partOf(scope, "b")) ?? 0
      assert.isTrue(near > 0 && near <= 0.1)
      assert.strictEqual(yield* partOf(scope, "d"), 0)
    }))

  it.effect("the part does not depend on how many are asked for or on which leg found the memory", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      yield* remember(scope, [
        ...fillers(40, { entities: ["mira", "heron gate"] }),
        ...fillers(60).map((item) => ({ ...item, memory_key: `other/${item.memory_key}` }))
      ])
      const parts = yield* Effect.forEach(
        [1, 5, 100],
        (limit) => Effect.map(find(scope, question, {}, { limit }), ({ hits }) => hits[0]?.components.entities)
      )
      assert.isAbove(parts[0] ?? 0, 0)
      assert.strictEqual(new Set(parts).size, 1)
      const { hits } = yield* find(scope, "Lamp of the heron gate", {}, { limit: 100 })
      const shares = hits.filter(({ candidate }) => candidate.head.entities.length > 0)
        .map(({ components }) => components.entities)
      assert.deepStrictEqual([shares.length, new Set(shares).size], [40, 1])
    }))

  it.effect("a hub says nothing, and the walk does not pass through one", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      yield* remember(scope, [
        { memory_key: "a", value: "It opens at nine", entities: ["heron gate", "acme"] },
        ...fillers(40, { entities: ["acme"] }),
        ...fillers(20).map((item) => ({ ...item, memory_key: `other/${item.memory_key}` }))
      ])
      assert.deepStrictEqual(yield* byEntity(scope), ["a"])
      assert.deepStrictEqual(yield* byEntity(scope, {}, "acme?"), [])
      assert.deepStrictEqual(yield* byEntity(scope, {}, "acme and the heron gate"), ["a"])
      // Among rows where it is rare, the same name says something.
      assert.deepStrictEqual(yield* byEntity(scope, { exclude_keys: keys(fillers(38)) }, "acme?"), [
        "filler/39",
        "filler/38",
        "a"
      ])
    }))

  it.effect("filters and what is served act before anything is counted", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const [first] = yield* remember(scope, [
        { memory_key: "a", value: "It opens at nine", entities: ["heron gate", "mira"], tags: ["x"] },
        { memory_key: "b", value: "She has a key", entities: ["heron gate", "otto"], tags: ["y"], user_id: "you" }
      ])
      const seen = (filter: Partial<SearchFilter>) => Effect.all([byEntity(scope, filter), partOf(scope, "a", filter)])
      assert.deepStrictEqual(yield* byEntity(scope), ["b", "a"])
      const alone = ["a"]
      for (const filter of [{ user_id: "-" }, { tags: ["x"] }, { entities: ["mira"] }, { exclude_keys: ["b"] }]) {
        assert.deepStrictEqual(yield* seen(filter), [alone, 0.2], JSON.stringify(filter))
      }
      yield* remember(scope, [
        // The longer name is another user's alone, so it does not stand before the shorter.
        { memory_key: "c", value: "Apart", entities: ["heron gate of otto", "mira"], user_id: "you" },
        ...fillers(5, { entities: ["heron gate", "mira"], user_id: "you" })
      ])
      const asked = "what of the heron gate of otto"
      assert.deepStrictEqual(yield* byEntity(scope, { user_id: "-" }, asked), alone)
      assert.strictEqual(yield* partOf(scope, "a", { user_id: "-" }, asked), 0.2)
      assert.include(yield* byEntity(scope, { exclude_keys: ["c"] }, asked), "a")
      if (first !== undefined) {
        const moved = yield* change(first, { entities: ["mira"] })
        assert.deepStrictEqual(yield* byEntity(scope, { user_id: "-" }), [])
        assert.deepStrictEqual(yield* byEntity(scope, { user_id: "-" }, "mira"), alone)
        const asOf = { axis: "knowledge", at: noon, known: first.version } as const
        assert.deepStrictEqual(yield* byEntity(scope, { user_id: "-", asOf }), alone)
        yield* change(moved, { status: "tombstoned" })
      }
      assert.deepStrictEqual(yield* byEntity(scope, { user_id: "-" }, "mira"), [])
    }))

  it.effect("another namespace's and another tenant's entities never matter", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const rows = [{ memory_key: "a", value: "It opens at nine", entities: ["heron gate", "mira"] }]
      yield* remember(scope, rows)
      const before = yield* find(scope, question)
      for (const other of [{ ...scope, org: `${scope.org}-b` }, { ...scope, namespace: `${scope.namespace}-b` }]) {
        yield* remember(other, [...rows, ...fillers(40, { entities: ["heron gate", "what", "mira"] })])
      }
      assert.deepStrictEqual(yield* find(scope, question), before)
      const index = yield* SearchIndex
      assert.strictEqual((yield* index.knownEntities(freshScope(), anyRow, ["heron gate"])).length, 0)
      assert.deepStrictEqual([...yield* index.entityRows(scope, anyRow, ["heron gate", "x"])], [["heron gate", 1]])
    }))
})

const keys = (given: ReadonlyArray<Memory>) => given.map(({ memory_key }) => memory_key)
