/** As-of reads answer in ClickHouse what the pure core answers in this process, for histories and filters at random. */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { lastVersionAt } from "../../src/memory/InstantModel.ts"
import type { Instant } from "../../src/memory/InstantModel.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { ListFilter } from "../../src/memory/MemoryReader.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import { history, rowsOf, times } from "./AsOfFixture.ts"
import type { Step } from "./AsOfFixture.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { commitOf, everything, firstPage, freshScope, noon } from "./MemoryFixture.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer).pipe(
  Layer.provideMerge(layerEngine)
)

const instants: ReadonlyArray<Instant> = [
  ...times.flatMap((at): ReadonlyArray<Instant> => [
    { axis: "valid", at, known: null },
    { axis: "knowledge", at, known: lastVersionAt(at) }
  ]),
  { axis: "valid", at: noon + 3, known: lastVersionAt(noon + 2) },
  { axis: "valid", at: noon + 20, known: lastVersionAt(noon + 4) },
  { axis: "knowledge", at: noon + 30, known: null }
]

const filters: ReadonlyArray<Partial<ListFilter>> = [
  { statuses: ["active", "conflicted", "superseded", "tombstoned"] },
  { agent: "" },
  { prefix: "k/b", endedBefore: noon + 3 },
  { pinned_only: true },
  { contains: "e" }
]

testLayer(layer, { timeout: "2 minutes" })("AsOfClickhouse", (it) => {
  it.scoped("lists what the pure core answers", () =>
    Effect.gen(function*() {
      const here = yield* Effect.context<MemoryStore | MemoryReader>()
      const there = yield* Layer.build(layerMemory)
      const run = (histories: ReadonlyArray<ReadonlyArray<Step>>) =>
        Effect.gen(function*() {
          const scope = freshScope()
          const answers = Effect.gen(function*() {
            const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
            yield* store.commit(commitOf(histories.flatMap((steps, place) => rowsOf(scope, steps, place))))
            return yield* Effect.forEach(instants, (asOf, index) =>
              Effect.gen(function*() {
                const filter = { ...everything, ...filters[index % 2 === 0 ? 0 : index % filters.length], asOf }
                const rows = yield* reader.list(scope, filter, { ...firstPage, limit: 1_000, sort_by: "memory_key" })
                assert.strictEqual(yield* reader.count(scope, filter), rows.length)
                return { asOf, versions: rows.map(({ version }) => version) }
              }), { concurrency: 2 })
          })
          assert.deepStrictEqual(yield* Effect.provide(answers, here), yield* Effect.provide(answers, there))
        })
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.array(history, { minLength: 100, maxLength: 100 }),
            (histories) => Effect.runPromise(run(histories))
          ),
          // Each run is a commit of a hundred histories and some forty queries.
          { numRuns: 2, endOnFailure: true }
        )
      )
    }), 120_000)
})
