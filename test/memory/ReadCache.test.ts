/**
 * The read cache is never stale: random interleavings of reads, commits, failures, repairs and clock steps, each broken
 * at any point into its parts, against a plain store. An answer must be what the store held at some moment of its read.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import type { StoreError } from "../../src/kernel/LoomError.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryReview } from "../../src/memory/MemoryReview.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import * as ReadCache from "../../src/memory/ReadCache.ts"
import { commitOf, embedderId, noon, revised, rowOf } from "./MemoryFixture.ts"

/** How often the reader under the cache was asked. */
class Reads extends Context.Tag("loom/test/memory/ReadCache/Reads")<Reads, { reads: number }>() {}

const scopes = ["here", "there"].map((namespace) => ({ org: "acme", namespace }))
const keys = ["a", "b"]
const users = ["ada", "grace"]
const filters = [anyWriter, { ...anyWriter, user_id: "ada" }]

type Step =
  | { readonly do: "read"; readonly scope: number; readonly key: number; readonly filter: number }
  | {
    readonly do: "commit"
    readonly scope: number
    readonly rows: ReadonlyArray<readonly [key: number, user: number]>
    readonly fails: boolean
    /** Whether a failed commit is in the store when its failure is told, or comes in later, or never. */
    readonly lands: "before" | "after" | "never"
    readonly expires: number | null
  }
  | { readonly do: "go on"; readonly which: number; readonly gates: number }
  | { readonly do: "repair"; readonly scope: number }
  | { readonly do: "wait"; readonly millis: number }

const index = FastCheck.integer({ min: 0, max: 1 })
const steps = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 6,
      arbitrary: FastCheck.record({ do: FastCheck.constant("read" as const), scope: index, key: index, filter: index })
    },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("commit" as const),
        scope: index,
        rows: FastCheck.array(FastCheck.tuple(index, index), { minLength: 1, maxLength: 3 }),
        fails: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.constant(false) }, {
          weight: 1,
          arbitrary: FastCheck.constant(true)
        }),
        lands: FastCheck.constantFrom("before" as const, "after" as const, "never" as const),
        expires: FastCheck.option(FastCheck.integer({ min: 1, max: 50 }))
      })
    },
    {
      weight: 9,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("go on" as const),
        which: FastCheck.nat(9),
        gates: FastCheck.integer({ min: 1, max: 6 })
      })
    },
    { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constant("repair" as const), scope: index }) },
    {
      weight: 1,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("wait" as const),
        millis: FastCheck.integer({ min: 1, max: 60 })
      })
    }
  ),
  { minLength: 20, maxLength: 120, size: "max" }
)

// Enough turns for every fiber that can go on to have gone on.
const turns = Effect.forEach(Array.from({ length: 8 }), () => Effect.yieldNow(), { discard: true })

/** What one interleaving did; fails at the first stale answer. */
const run = (plan: ReadonlyArray<Step>, maxBytes: number) =>
  Effect.gen(function*() {
    const store = new Map<string, ReadonlyArray<MemoryRow>>()
    const slot = (scope: number, key: number) => `${scope} ${key}`
    /** Each state a slot was ever in, by the number of the moment at which it began. */
    const past = new Map<string, Array<readonly [moment: number, rows: string]>>()
    let moment = 0
    let version = 0
    let hits = 0
    let loads = 0
    const cache = ReadCache.make(maxBytes)
    const textOf = (rows: ReadonlyArray<MemoryRow>) => rows.map((row) => row.version.toString()).join(" ")
    const select = (scope: number, key: number, filter: number) =>
      (store.get(slot(scope, key)) ?? []).filter((row) =>
        filters[filter]?.user_id === null || row.user_id === filters[filter]?.user_id
      )
    const note = (scope: number) => {
      moment++
      for (const [key] of keys.entries()) {
        for (const [filter] of filters.entries()) {
          const name = `${slot(scope, key)} ${filter}`
          past.set(name, [...past.get(name) ?? [[0, ""]], [moment, textOf(select(scope, key, filter))]])
        }
      }
    }
    const apply = (scope: number, rows: ReadonlyArray<MemoryRow>) => {
      for (const row of rows) {
        const name = slot(scope, keys.indexOf(row.memory_key))
        const others = (store.get(name) ?? []).filter(({ user_id }) => user_id !== row.user_id)
        store.set(name, [...others, row].sort((left, right) => left.version > right.version ? -1 : 1))
      }
      note(scope)
    }
    /** Gates that wait to be opened, and what a failed commit left to come in, by scope. */
    const gates: Array<Deferred.Deferred<void>> = []
    const late = new Map<number, Array<() => void>>()
    const gate = Effect.suspend(() => {
      const made = Deferred.unsafeMake<void>(FiberId.none)
      gates.push(made)
      return Deferred.await(made)
    })
    const landLate = (scope: number) => {
      late.get(scope)?.forEach((land) => land())
      late.delete(scope)
    }
    const writing = new Map<number, number>()
    const fibers: Array<Fiber.RuntimeFiber<void, StoreError>> = []

    const read = (scope: number, key: number, filter: number) =>
      Effect.gen(function*() {
        const from = moment
        const before = loads
        const load = Effect.gen(function*() {
          loads++
          yield* gate
          const rows = select(scope, key, filter)
          yield* gate
          return rows
        })
        const writer = filters[filter] ?? anyWriter
        const found = textOf(yield* cache.byKey(scopes[scope] ?? scopes[0]!, keys[key] ?? "", writer, load))
        if (loads === before) hits++
        const states = past.get(`${slot(scope, key)} ${filter}`) ?? [[0, ""]]
        const held = states.filter(([at], nth) => at <= moment && (states[nth + 1]?.[0] ?? Infinity) > from)
        assert.include(held.map(([, rows]) => rows), found, `a stale answer for ${slot(scope, key)} ${filter}`)
      })

    const commit = (step: Extract<Step, { do: "commit" }>) =>
      Effect.gen(function*() {
        // Of one namespace one commit is in flight at a time, and none after a failure before it is settled.
        if ((writing.get(step.scope) ?? 0) > 0) return
        if (late.has(step.scope)) landLate(step.scope)
        writing.set(step.scope, 1)
        const now = noon
        const rows = step.rows.map(([key, user]) =>
          rowOf(scopes[step.scope]!, {
            memory_key: keys[key] ?? "",
            user_id: users[user] ?? "",
            version: BigInt(++version),
            expires_at: step.expires === null ? null : now + step.expires
          })
        )
        const body = Effect.gen(function*() {
          yield* gate
          if (!step.fails || step.lands === "before") apply(step.scope, rows)
          yield* gate
          if (!step.fails) return
          if (step.lands === "after") late.set(step.scope, [() => apply(step.scope, rows)])
          return yield* new Unavailable({ operation: "test" })
        })
        yield* Effect.exit(cache.committing(commitOf(rows), body))
        writing.set(step.scope, 0)
      })

    for (const step of plan) {
      if (step.do === "read") fibers.push(yield* Effect.fork(read(step.scope, step.key, step.filter)))
      else if (step.do === "commit") fibers.push(yield* Effect.fork(commit(step)))
      else if (step.do === "wait") yield* TestClock.adjust(step.millis)
      else if (step.do === "repair") {
        if ((writing.get(step.scope) ?? 0) > 0) continue
        landLate(step.scope)
        yield* cache.settled(scopes[step.scope]!)
      } else {
        const opened = gates.splice(step.which % Math.max(1, gates.length), step.gates)
        // What comes in late may come in at any time.
        if (opened.length === 0) late.forEach((_, scope) => landLate(scope))
        for (const one of opened) yield* Deferred.succeed(one, undefined)
      }
      yield* turns
    }
    while (gates.length > 0) {
      for (const opened of gates.splice(0)) yield* Deferred.succeed(opened, undefined)
      yield* turns
    }
    yield* Fiber.joinAll(fibers)
    assert.isAtMost(yield* cache.bytes, maxBytes)
    return { hits, loads }
  }).pipe(Effect.provide(TestContext.TestContext))

describe("ReadCache", () => {
  it("is never stale, whatever meets whatever", async () => {
    let hits = 0
    const seed = Effect.runSync(Random.nextInt)
    const property = FastCheck.asyncProperty(
      steps,
      FastCheck.constantFrom(3_000, 100_000),
      async (plan, maxBytes) => {
        hits += (await Effect.runPromise(run(plan, maxBytes))).hits
      }
    )
    await FastCheck.assert(property, { numRuns: 300, seed })
    // Or the property would say nothing.
    assert.isAbove(hits, 500)
  }, 60_000)

  const counted = Effect.gen(function*() {
    const reader = yield* MemoryReader
    const count = { reads: 0 }
    const byKey: MemoryReader["Type"]["byKey"] = (...args) =>
      Effect.suspend(() => {
        count.reads++
        return reader.byKey(...args)
      })
    const layerCounted = Layer.succeed(MemoryReader, MemoryReader.of({ ...reader, byKey }))
    return { count, layerCounted }
  })
  const wrapped = Layer.unwrapEffect(
    Effect.map(counted, ({ count, layerCounted }) =>
      Layer.mergeAll(
        Layer.provide(ReadCache.layerReader, layerCounted),
        ReadCache.layerStore,
        ReadCache.layerReview,
        Layer.succeed(Reads, count)
      ))
  ).pipe(Layer.provideMerge(ReadCache.layer()), Layer.provide(layerMemory))

  it.effect("answers again without the store, until a commit, a boundary in time or a forget", () =>
    Effect.gen(function*() {
      const [reader, store, reads] = [yield* MemoryReader, yield* MemoryStore, yield* Reads]
      const cache = yield* ReadCache.ReadCache
      yield* TestClock.setTime(noon)
      const scope = scopes[0]!
      const first = rowOf(scope, { expires_at: noon + 1_000, memory_key: "k" })
      const get = reader.byKey(scope, "k", anyWriter)
      assert.deepStrictEqual(yield* get, [])
      assert.deepStrictEqual(yield* get, [])
      assert.strictEqual(reads.reads, 1)
      yield* store.commit(commitOf([first]))
      assert.deepStrictEqual([yield* get, yield* get], [[first], [first]])
      assert.strictEqual(reads.reads, 2)
      yield* TestClock.setTime(noon + 1_000)
      assert.deepStrictEqual([yield* get, yield* get], [[first], [first]])
      assert.strictEqual(reads.reads, 3)
      const second = revised(first, 1, { value: "other" })
      yield* store.commit(commitOf([rowOf(scopes[1]!, { memory_key: "k" })]))
      yield* get
      assert.strictEqual(reads.reads, 3)
      yield* store.commit(commitOf([second]))
      assert.deepStrictEqual(yield* get, [second])
      assert.strictEqual(reads.reads, 4)
      yield* cache.forget(scope)
      yield* get
      assert.strictEqual(reads.reads, 5)
      const review = yield* MemoryReview
      yield* review.scrub(scope, first, first.content_sha256)
      yield* get
      assert.strictEqual(reads.reads, 6)
    }).pipe(Effect.provide(wrapped)))

  it.effect("keeps no secret, and nothing of a namespace after an unknown commit until it is repaired", () =>
    Effect.gen(function*() {
      const [reader, store, reads] = [yield* MemoryReader, yield* MemoryStore, yield* Reads]
      const cache = yield* ReadCache.ReadCache
      const scope = scopes[0]!
      const secret = rowOf(scope, { memory_key: "s", sensitivity: "high" })
      yield* store.commit(commitOf([secret, rowOf(scope, { memory_key: "k" })]))
      yield* reader.byKey(scope, "s", anyWriter)
      yield* reader.byKey(scope, "s", anyWriter)
      assert.strictEqual(reads.reads, 2)
      yield* reader.byKey(scope, "k", anyWriter)
      const failing = Effect.fail(new Unavailable({ operation: "test" }))
      yield* Effect.ignore(cache.committing(commitOf([rowOf(scope, { memory_key: "z" })]), failing))
      yield* reader.byKey(scope, "k", anyWriter)
      yield* reader.byKey(scope, "k", anyWriter)
      assert.strictEqual(reads.reads, 5)
      assert.strictEqual(yield* cache.bytes, 0)
      yield* store.repair(scope, embedderId)
      yield* reader.byKey(scope, "k", anyWriter)
      yield* reader.byKey(scope, "k", anyWriter)
      assert.strictEqual(reads.reads, 6)
    }).pipe(Effect.provide(wrapped)))
})
