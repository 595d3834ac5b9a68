/**
 * Reads ride the sort key, as the engine itself explains them; and lists answer what the store in this process answers,
 * for rows and filters at random.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { MemoryRow, Status } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { ListFilter, Page, SortBy } from "../../src/memory/MemoryReader.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import { Clickhouse } from "../../src/platform/Clickhouse.ts"
import type { Statement } from "../../src/platform/Clickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { commitOf, everything, firstPage, freshScope, noon, rowOf, versionAt } from "./MemoryFixture.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer).pipe(
  Layer.provideMerge(layerEngine)
)

const Index = Schema.Struct({
  Type: Schema.String,
  Condition: Schema.optional(Schema.String),
  Keys: Schema.optional(Schema.Array(Schema.String)),
  "Initial Granules": Schema.Number,
  "Selected Granules": Schema.Number
})

/** One step of a plan; a step that reads a table names it and the indexes it used. */
interface Step {
  readonly Description?: string | undefined
  readonly Indexes?: ReadonlyArray<typeof Index.Type> | undefined
  readonly Plans?: ReadonlyArray<Step> | undefined
}

const Step: Schema.Schema<Step> = Schema.suspend(() =>
  Schema.Struct({
    Description: Schema.optional(Schema.String),
    Indexes: Schema.optional(Schema.Array(Index)),
    Plans: Schema.optional(Schema.Array(Step))
  })
)

const Explained = Schema.Struct({ explain: Schema.parseJson(Schema.Array(Schema.Struct({ Plan: Step }))) })

const readsOf = (
  step: Step
): ReadonlyArray<{ readonly table: string; readonly indexes: NonNullable<Step["Indexes"]> }> => [
  ...(step.Indexes === undefined ? [] : [{ table: step.Description ?? "", indexes: step.Indexes }]),
  ...(step.Plans ?? []).flatMap(readsOf)
]

const plan = (statement: Statement) =>
  Effect.gen(function*() {
    const clickhouse = yield* Clickhouse
    const rows = yield* clickhouse.query(
      { ...statement, text: `EXPLAIN json = 1, indexes = 1 ${statement.text}` },
      Explained
    )
    return rows.flatMap(({ explain }) => explain).flatMap(({ Plan }) => readsOf(Plan))
  })

const keyOf = (reads: Effect.Effect.Success<ReturnType<typeof plan>>, table: string) => {
  const key = reads.find((read) => read.table === table)?.indexes.find(({ Type }) => Type === "PrimaryKey")
  return { keys: key?.Keys ?? [], granules: key?.["Selected Granules"] ?? Infinity, of: key?.["Initial Granules"] ?? 0 }
}

const identity = ["org", "namespace", "agent", "user_id", "session_id", "memory_key"]

// With 256 rows a granule, enough rows that one granule is far from all.
const many = 8_000

const from = <A>(items: ReadonlyArray<A>) => FastCheck.constantFrom(...items)

// Few values, so that filters meet rows; among them what a pattern language would take for a sign.
const texts = ["a", "A%", "a_b'\\", "\u00c9", "\u00e9", "\u{1f9f5}"]
// Each condition is left out more often than not; all of them at once would let nothing through.
const rarely = <A, B>(none: B, arbitrary: FastCheck.Arbitrary<A>): FastCheck.Arbitrary<A | B> =>
  FastCheck.oneof({ weight: 4, arbitrary: FastCheck.constant(none) }, { weight: 1, arbitrary })
const some = FastCheck.uniqueArray(from(texts), { minLength: 1, maxLength: 2 })

const statuses: ReadonlyArray<Status> = ["active", "conflicted", "tombstoned"]

const rowChange = FastCheck.record({
  agent: from(["", "one"]),
  user_id: from(["-", "ada"]),
  value: from(texts),
  tags: some,
  entities: some,
  status: from(statuses),
  pinned: FastCheck.boolean(),
  created_at: from([noon, noon + 1, noon + 2]),
  expires_at: FastCheck.option(from([noon, noon + 1]), { nil: null })
})

const listFilter: FastCheck.Arbitrary<ListFilter> = FastCheck.record({
  agent: rarely(null, from(["", "one"])),
  user_id: rarely(null, from(["-", "ada"])),
  prefix: rarely(null, from(texts)),
  contains: rarely(null, from(texts)),
  tags: rarely([], some),
  tags_every: rarely([], some),
  entities: rarely([], some),
  pinned_only: rarely(false, FastCheck.constant(true)),
  statuses: rarely(statuses, FastCheck.uniqueArray(from(statuses))),
  endedBefore: rarely(null, from([noon, noon + 1]))
}).map((changed) => ({ ...everything, ...changed }))

const page: FastCheck.Arbitrary<Page> = FastCheck.record({
  sort_by: from<SortBy>(["created_at", "updated_at", "memory_key"]),
  limit: FastCheck.integer({ min: 1, max: 20 }),
  offset: FastCheck.integer({ min: 0, max: 3 }),
  after: FastCheck.constant(null)
})

testLayer(layer)("MemoryReaderClickhouse", (it) => {
  it.effect("reads by key, by id and of history ride the sort key", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      const scope = freshScope()
      const rows = Array.from({ length: many }, (_, index) =>
        rowOf(scope, {
          agent: `agent-${index % 7}`,
          user_id: `user-${index % 11}`,
          memory_key: `project/${index}/owner`,
          version: versionAt(noon) + BigInt(index)
        }))
      yield* store.commit(commitOf(rows))
      const row = rows[4_321] ?? rowOf(scope)
      const full = keyOf(yield* plan(MemoryReaderClickhouse.byKey(scope, row.memory_key, row)), "loom.memory")
      assert.deepStrictEqual(full.keys, identity)
      assert.isAtMost(full.granules, 2)
      assert.isAbove(full.of, 25)

      const partial = yield* plan(
        MemoryReaderClickhouse.byKey(scope, row.memory_key, { ...anyWriter, agent: row.agent })
      )
      assert.includeMembers([...keyOf(partial, "loom.memory").keys], ["org", "namespace", "agent", "memory_key"])
      const bloom = partial.flatMap(({ indexes }) => indexes).filter(({ Type }) => Type === "Skip")
      assert.isAbove(bloom.length, 0)
      assert.isAtMost(Math.min(...bloom.map((index) => index["Selected Granules"])), 3)

      const byId = yield* plan(MemoryReaderClickhouse.byId(scope, row.memory_id, anyWriter))
      assert.deepStrictEqual(keyOf(byId, "loom.memory").keys, identity)
      assert.isAtMost(keyOf(byId, "loom.memory").granules, 2)

      const history = keyOf(
        yield* plan(MemoryReaderClickhouse.history(scope, [row], { before: row.version + 1n, limit: 10 })),
        "loom.memory_versions"
      )
      assert.includeMembers([...history.keys], identity)
      assert.isAtMost(history.granules, 3)
    }))

  it.scoped("lists what the store in this process lists", () =>
    Effect.gen(function*() {
      const here = yield* Effect.context<MemoryStore | MemoryReader>()
      const there = yield* Layer.build(layerMemory)
      const run = (changes: ReadonlyArray<Partial<MemoryRow>>, asked: ReadonlyArray<readonly [ListFilter, Page]>) =>
        Effect.gen(function*() {
          const scope = freshScope()
          const rows = changes.map((changed, index) =>
            rowOf(scope, {
              memory_key: `${texts[index % texts.length]}${index}`,
              version: versionAt(noon + index),
              ...changed
            })
          )
          const answers = Effect.gen(function*() {
            const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
            yield* store.commit(commitOf(rows))
            return yield* Effect.forEach(asked, ([filter, page]) =>
              Effect.gen(function*() {
                const first = yield* reader.list(scope, filter, page)
                const last = first.at(-1)
                const rest = last === undefined ? [] : yield* reader.list(scope, filter, {
                  ...firstPage,
                  sort_by: page.sort_by,
                  after: { value: String(last[page.sort_by]), memory_id: last.memory_id }
                })
                return { first, rest, count: yield* reader.count(scope, filter) }
              }), { concurrency: 4 })
          })
          assert.deepStrictEqual(yield* Effect.provide(answers, here), yield* Effect.provide(answers, there))
        })
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.array(rowChange, { minLength: 10, maxLength: 20 }),
            FastCheck.array(FastCheck.tuple(listFilter, page), { minLength: 15, maxLength: 15 }),
            (changes, asked) => Effect.runPromise(run(changes, asked))
          ),
          // Each run is a commit and up to 45 queries, so few runs, and no search for a smaller example.
          { numRuns: 8, endOnFailure: true }
        )
      )
    }))
})
