/**
 * What the small forms of the vectors find, held against every row's whole vector: in a large slice, and in small ones
 * beside it, where another choice would have been made among the large one's rows. A row just written is found at once,
 * and the answer tells how many have no vector yet.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { identityOf } from "../../src/kernel/Identity.ts"
import { emptyCommit, MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Derived } from "../../src/memory/MemoryStore.ts"
import { closeness, SearchIndex } from "../../src/retrieval/SearchIndex.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { anyRow, find, layerSearch, memory, remember } from "./SearchFixture.ts"

const DIMENSIONS = 256
const embedderId = "seeded-256/v1"

/** Numbers of a fixed series, about -1 to 1 and about normal. */
const series = (seed: number) => {
  let state = seed
  const next = () => (state = Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5 | 0) >>> 0
  return () => (next() + next() + next()) / (1.5 * 2 ** 32) - 1
}

const unit = (vector: ReadonlyArray<number>): Float32Array => {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (number) => number / length)
}

const number = series(7)
const direction = () => Array.from({ length: DIMENSIONS }, number)
// Forty subjects; rows of one lie about as close to each other as sentences on one subject do.
const subjects = Array.from({ length: 40 }, direction)
const near = (subject: number) => {
  const away = direction()
  return unit((subjects[subject] ?? []).map((along, at) => along + 0.9 * (away[at] ?? 0)))
}

const dot = (left: Float32Array, right: Float32Array) => left.reduce((sum, x, at) => sum + x * (right[at] ?? 0), 0)

interface Owner {
  readonly namespace: string
  readonly user_id: string
  readonly tags: ReadonlyArray<string>
  readonly rows: number
}

const owners: ReadonlyArray<Owner> = [
  { namespace: "huge", user_id: "crowd", tags: [], rows: 1_200 },
  { namespace: "huge", user_id: "ann", tags: [], rows: 60 },
  { namespace: "huge", user_id: "crowd", tags: ["rare"], rows: 60 },
  { namespace: "small", user_id: "crowd", tags: [], rows: 60 }
]

const rows = owners.flatMap(({ namespace, rows, tags, user_id }, owner) =>
  Array.from({ length: rows }, (_, at) => {
    const row = memory({ org: "acme", namespace }, {
      memory_key: `row-${owner}-${at}`,
      memory_id: `mem_${owner}_${at}`,
      value: `row ${owner} ${at}`,
      user_id,
      tags
    })
    return { row, value: near(at % subjects.length), key: near((at * 7) % subjects.length) }
  })
)

const derivedOf = ({ key, row, value }: typeof rows[number], embedder_id = embedderId): Derived => ({
  identity: identityOf(row),
  content_sha256: row.content_sha256,
  memory_type: row.memory_type,
  source_class: row.source_class,
  verified: false,
  version: row.version,
  searchable: {
    embedder_id,
    value_vector: value,
    key_vector: key,
    excerpt: row.value,
    lowered: row.value,
    stems: ["row"],
    lemmas: ["row"],
    chunks: []
  }
})

const huge = { org: "acme", namespace: "huge" }

layer(layerSearch({ smallScope: 0 }))("SearchIndex.vector", (it) => {
  it.effect(
    "holds 95 of a hundred of what all whole vectors give, in slices of any size",
    () =>
      Effect.gen(function*() {
        const [store, index] = [yield* MemoryStore, yield* SearchIndex]
        yield* store.commit({
          ...emptyCommit,
          rows: rows.map(({ row }) => row),
          derived: rows.map((row) => derivedOf(row))
        })
        const slices: ReadonlyArray<readonly [namespace: string, filter: Partial<SearchFilter>]> = [
          ["huge", {}],
          ["huge", { user_id: "ann" }],
          ["huge", { tags: ["rare"] }],
          ["small", {}]
        ]
        for (const [namespace, filter] of slices) {
          const slice = rows.filter(({ row }) =>
            row.namespace === namespace && (filter.user_id === undefined || row.user_id === filter.user_id) &&
            (filter.tags === undefined || row.tags.includes("rare"))
          )
          let held = 0
          const questions = Array.from({ length: 6 }, (_, at) => near(at * 6))
          for (const vector of questions) {
            const exact = slice.map(({ key, row, value }) => ({
              id: row.memory_id,
              close: closeness({ value: dot(value, vector), key: dot(key, vector) })
            })).sort((left, right) => right.close - left.close).slice(0, 10)
            const query = { embedderId, vector }
            const { hits } = yield* index.vector({ org: "acme", namespace }, { ...anyRow, ...filter }, query, [], 10)
            const found = new Map(hits.map(({ cosines, head }) => [head.memory_id, closeness(cosines)]))
            assert.strictEqual(found.size, 10)
            for (const { close, id } of exact) {
              if (!found.has(id)) continue
              held++
              assert.approximately(found.get(id) ?? 0, close, 0.002)
            }
          }
          assert.isAtLeast(held / (10 * questions.length), 0.95, `${namespace} ${JSON.stringify(filter)}`)
        }
      }),
    120_000
  )

  it.effect("finds a row just written at once, a passage of the first long value too", () =>
    Effect.gen(function*() {
      const scope = { org: "acme", namespace: "fresh" }
      const keys = (text: string) =>
        Effect.map(find(scope, text), ({ hits }) => hits.map(({ candidate }) => candidate.head.memory_key))
      assert.deepStrictEqual(yield* keys("heron"), [])
      yield* remember(scope, [{ memory_key: "bird", value: "A heron stands in the pond" }])
      assert.deepStrictEqual(yield* keys("heron"), ["bird"])
      const long = `${"The report goes on about the weather of the week. ".repeat(60)}The code word is marmalade.`
      yield* remember(scope, [{ memory_key: "report", value: long }])
      assert.strictEqual((yield* keys("marmalade"))[0], "report")
      assert.include((yield* find(scope, "marmalade")).hits[0]?.excerpt ?? "", "marmalade")
    }))

  it.effect("tells how many memories that may be found have no vector of the embedder yet", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      const pending = (filter: Partial<SearchFilter> = {}) =>
        Effect.map(find(huge, "row", filter), ({ pendingIndex }) => pendingIndex)
      // The rows of this file were derived for an embedder of another name than the one that searches.
      assert.strictEqual(yield* pending(), 1_320)
      assert.strictEqual(yield* pending({ user_id: "ann" }), 60)
      assert.strictEqual(yield* pending({ tags: ["rare"] }), 60)
      const anns = rows.filter(({ row }) => row.user_id === "ann").slice(0, 20)
      const { embedderId: current } = yield* find(huge, "row")
      yield* store.commit({
        ...emptyCommit,
        derived: anns.map((one) => derivedOf(one, current ?? "")).map((one) => ({
          ...one,
          searchable: { ...one.searchable, value_vector: new Float32Array(64), key_vector: new Float32Array(64) }
        }))
      })
      assert.strictEqual(yield* pending({ user_id: "ann" }), 40)
      assert.strictEqual((yield* find({ org: "acme", namespace: "none" }, "row")).pendingIndex, 0)
      assert.isNull((yield* find(huge, "row", {}, { legs: ["lexical"] })).pendingIndex)
    }))
})
