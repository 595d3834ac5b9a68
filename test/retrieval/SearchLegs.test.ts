import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/TestClock"
import { Corrupt, Unavailable } from "../../src/kernel/LoomError.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import * as DigestIndex from "../../src/retrieval/DigestIndex.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import * as Search from "../../src/retrieval/Search.ts"
import { SearchIndex } from "../../src/retrieval/SearchIndex.ts"
import { placeKey } from "../../src/retrieval/SearchModel.ts"
import { rowOf } from "../memory/MemoryFixture.ts"
import { quiet } from "../platform/ClickhouseTemp.ts"
import { anyRow } from "./SearchFixture.ts"

const scope = { org: "acme", namespace: "legs" }
const head = rowOf(scope, { memory_key: "tea" })

const near = (head: MemoryRow) => ({ hits: [{ head, cosines: { value: 0.5, key: 0 } }], passed: [], read: new Map() })

/** An index that finds one memory, or does in a leg what a test says. */
const indexWith = (changed: Partial<SearchIndex["Type"]>) =>
  Layer.succeed(SearchIndex, {
    vector: () => Effect.succeed(near(head)),
    lexical: () =>
      Effect.succeed({
        corpus: { rows: 1, meanLength: 2, holding: [1, 1] },
        hits: [{ head, terms: { counts: [1, 1], length: 2 } }],
        passed: [],
        read: new Map()
      }),
    chunks: () =>
      Effect.succeed({ corpus: { rows: 0, meanLength: 0, holding: [] }, hits: [], passed: [], read: new Map() }),
    knownEntities: () => Effect.succeed([]),
    entityRows: () => Effect.succeed(new Map()),
    servedRows: () => Effect.succeed(1),
    naming: () => Effect.succeed([]),
    byIds: () => Effect.succeed([]),
    pending: () => Effect.succeed(0),
    derived: (_, places) =>
      Effect.succeed(
        new Map(places.map((place) => [placeKey(place), {
          cosines: { value: 0.5, key: 0 },
          terms: { counts: [1, 1], length: 2 },
          excerpt: "green tea"
        }]))
      ),
    passages: () => Effect.succeed(new Map()),
    ...changed
  })

const find = (changed: Partial<SearchIndex["Type"]>) =>
  Effect.flatMap(
    Search.Search,
    (search) => search.find({ scope, filter: anyRow, text: "green tea", limit: 5, legs: [], excerptLength: 100 })
  ).pipe(
    Effect.provide(
      Search.layer.pipe(
        Layer.provide([
          indexWith(changed),
          EmbedderTest.layerTest,
          DigestIndex.layerNone,
          RankPolicy.layer,
          GatePolicy.layer
        ]),
        Layer.provideMerge(quiet)
      )
    )
  )

const keys = ({ hits }: Search.SearchResult) => hits.map(({ candidate }) => candidate.head.memory_key)

describe("legs", () => {
  it.effect("a leg that fails is named and the others answer", () =>
    Effect.gen(function*() {
      const lost = yield* find({ lexical: () => Effect.fail(new Unavailable({ operation: "words" })) })
      assert.deepStrictEqual([keys(lost), lost.degraded], [["tea"], ["lexical_unavailable"]])
      const broken = yield* find({
        vector: () => Effect.fail(new Corrupt({ operation: "vectors" })),
        chunks: () => Effect.fail(new Unavailable({ operation: "passages" }))
      })
      assert.deepStrictEqual([keys(broken), broken.degraded], [["tea"], ["vector_unavailable", "chunks_unavailable"]])
    }))

  it.effect("a leg past its time is stopped and named; legs run side by side", () =>
    Effect.gen(function*() {
      const stopped = yield* Ref.make(false)
      const never = Effect.onInterrupt(Effect.never, () => Ref.set(stopped, true))
      const late = Effect.delay(Effect.succeed(near(head)), "3 seconds")
      const fiber = yield* Effect.fork(find({ lexical: () => never, vector: () => late }))
      yield* TestClock.adjust("4 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust(Search.defaultOptions.budgets.lexical)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual([keys(result), result.degraded], [["tea"], ["lexical_late"]])
      assert.isTrue(yield* Ref.get(stopped))
      assert.isAbove(Duration.toMillis(Search.defaultOptions.budgets.vector), 3000)
    }))

  it.effect("when no leg answers the search is unavailable", () =>
    Effect.gen(function*() {
      const lost = () => Effect.fail(new Unavailable({ operation: "store" }))
      const error = yield* Effect.flip(find({ vector: lost, lexical: lost, chunks: lost }))
      assert.strictEqual(error._tag, "Unavailable")
    }))

  it.effect("what one leg found is ranked by the others' measures too", () =>
    Effect.gen(function*() {
      const other = rowOf(scope, { memory_key: "coffee", memory_id: "mem_other" })
      const result = yield* find({ vector: () => Effect.succeed(near(other)) })
      assert.sameMembers([...keys(result)], ["tea", "coffee"])
      assert.deepStrictEqual(new Set(result.hits.map(({ score }) => score)).size, 1)
    }))

  it.effect("of two versions that legs saw a moment apart the later counts", () =>
    Effect.gen(function*() {
      const later = rowOf(scope, {
        ...head,
        value: "black tea",
        content_sha256: "0".repeat(64),
        version: head.version + 1n
      })
      const result = yield* find({ vector: () => Effect.succeed(near(later)) })
      assert.deepStrictEqual(result.hits.map(({ candidate }) => candidate.head.version), [later.version])
    }))

  it.effect("what a leg passed by is counted and is no hit", () =>
    Effect.gen(function*() {
      const other = "0".repeat(64)
      const passed = {
        ...rowOf(scope, { memory_key: "old", status: "superseded", content_sha256: other, canonical_sha256: other }),
        ended: false
      }
      const counted = yield* find({ vector: () => Effect.succeed({ ...near(head), passed: [passed] }) })
      assert.deepStrictEqual([keys(counted), counted.suppressed?.superseded], [["tea"], 1])
    }))
})
