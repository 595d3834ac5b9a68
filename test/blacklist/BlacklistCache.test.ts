import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import { GLOBAL } from "../../src/blacklist/BlacklistModel.ts"
import { BlacklistStore, layerMemory } from "../../src/blacklist/BlacklistStore.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { pattern } from "./BlacklistFixture.ts"

type Store = typeof BlacklistStore.Service
type Cache = typeof BlacklistCache.BlacklistCache.Service

/** A store in memory that counts what it is asked and can be made to wait or fail. */
class Watched {
  loads = 0
  polls = 0
  words = 0
  before: Effect.Effect<void, Unavailable> = Effect.void
  beforeLoad: Effect.Effect<void> = Effect.void
}

const watch = (store: Store, watched: Watched): Store => ({
  ...store,
  inForce: (places) =>
    Effect.suspend(() => {
      watched.loads++
      return Effect.zipRight(Effect.zipRight(watched.beforeLoad, watched.before), store.inForce(places))
    }),
  version: Effect.suspend(() => {
    watched.polls++
    return Effect.zipRight(watched.before, store.version)
  }),
  confirm: (id, version) =>
    Effect.suspend(() => {
      watched.words++
      return Effect.zipRight(watched.before, store.confirm(id, version))
    })
})

interface House {
  readonly store: Store
  readonly watched: Watched
  /** A process on the store, which ends with `scope`. */
  readonly start: (scope?: Scope.Scope) => Effect.Effect<Cache>
}

const run = <A, E>(test: (house: House) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function*() {
    const store = yield* BlacklistStore
    const watched = new Watched()
    const life = yield* Effect.scope
    const layer = Layer.fresh(BlacklistCache.layer).pipe(
      Layer.provide(Layer.succeed(BlacklistStore, watch(store, watched)))
    )
    return yield* test({
      store,
      watched,
      start: (scope = life) =>
        Effect.map(Layer.buildWithScope(layer, scope), (context) => Context.get(context, BlacklistCache.BlacklistCache))
    })
  }).pipe(Effect.scoped, Effect.provide(layerMemory), Effect.provide(Logger.remove(Logger.defaultLogger)))

const eng = { org: "acme", namespace: "eng" }
const text = "the password is Hunter2"

const hit = (cache: Cache, scope = eng) => Effect.map(cache.matcher(scope), ({ match }) => match(text)?.pattern_id)
const alive = (store: Store) => Effect.map(store.confirmations(5_000), (all) => all.map(({ version }) => version))

describe("BlacklistCache", () => {
  it.effect("matches the namespace's patterns, the org's and the global ones, and nobody else's", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        assert.isUndefined(yield* hit(cache))
        const everywhere = pattern(1, { ...GLOBAL, scope: "global" })
        const org = pattern(2, { namespace: "", scope: "org" })
        const here = pattern(3)
        for (
          const one of [pattern(8, { org: "other", namespace: "", scope: "org" }), pattern(9, { namespace: "ops" })]
        ) {
          yield* cache.advance(yield* store.put(one))
        }
        assert.isUndefined(yield* hit(cache))
        assert.strictEqual(yield* hit(cache, { org: "acme", namespace: "ops" }), pattern(9).pattern_id)
        assert.strictEqual(yield* hit(cache, { org: "other", namespace: "eng" }), pattern(8).pattern_id)
        for (const one of [everywhere, org, here]) {
          yield* cache.advance(yield* store.put(one))
          assert.strictEqual(yield* hit(cache), one.pattern_id)
        }
        assert.strictEqual(yield* hit(cache, { org: "third", namespace: "x" }), everywhere.pattern_id)
        yield* cache.advance(yield* store.put({ ...here, removed_at: 1, version: here.version + 1n }))
        assert.strictEqual(yield* hit(cache), org.pattern_id)
      })
    ))

  it.effect("compiles a place once for each version", () =>
    run(({ start, store, watched }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        yield* Effect.replicateEffect(hit(cache), 50)
        assert.deepEqual([watched.loads, watched.polls], [1, 1])
        // The org and the global patterns are known already.
        yield* hit(cache, { org: "acme", namespace: "ops" })
        assert.strictEqual(watched.loads, 2)
        yield* cache.advance(yield* store.put(pattern(1)))
        yield* Effect.replicateEffect(hit(cache), 50)
        assert.strictEqual(watched.loads, 3)
      })
    ))

  it.effect("learns of another process's pattern within a second of use", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        for (let offset = 0; offset < 1000; offset += 130) {
          const one = pattern(offset)
          yield* hit(cache)
          yield* TestClock.adjust(offset)
          yield* store.put(one)
          yield* TestClock.adjust("1 seconds")
          assert.strictEqual(yield* hit(cache), one.pattern_id)
          yield* store.put({ ...one, removed_at: 1, version: one.version + 1n })
          yield* TestClock.adjust("1 seconds")
          assert.isUndefined(yield* hit(cache))
        }
      })
    ))

  it.effect("learns of it at once after a rest", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        yield* hit(cache)
        yield* store.put(pattern(1))
        yield* TestClock.adjust("3 minutes")
        assert.strictEqual(yield* hit(cache), pattern(1).pattern_id)
      })
    ))

  it.effect("confirms what it runs while it is in use, and leaves when it rests or ends", () =>
    run(({ start, store, watched }) =>
      Effect.gen(function*() {
        const life = yield* Scope.make()
        const cache = yield* start(life)
        assert.deepEqual(yield* alive(store), [])
        yield* hit(cache)
        assert.deepEqual(yield* alive(store), [0])
        yield* store.put(pattern(1))
        yield* TestClock.adjust("1 seconds")
        assert.deepEqual(yield* alive(store), [1])
        const words = watched.words
        for (let second = 0; second < 60; second++) {
          yield* hit(cache)
          yield* TestClock.adjust("1 seconds")
          assert.deepEqual(yield* alive(store), [1])
        }
        assert.isAtMost(watched.words - words, 31)
        yield* TestClock.adjust("11 seconds")
        assert.deepEqual(yield* alive(store), [])
        const polls = watched.polls
        yield* TestClock.adjust("1 hours")
        assert.strictEqual(watched.polls, polls)
        yield* hit(cache)
        assert.deepEqual(yield* alive(store), [1])
        yield* Scope.close(life, Exit.void)
        assert.deepEqual(yield* alive(store), [])
      })
    ))

  it.effect("waits until every process runs the version", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const [mine, other] = [yield* start(), yield* start()]
        yield* hit(mine)
        yield* hit(other)
        yield* TestClock.adjust("500 millis")
        const version = yield* store.put(pattern(1))
        yield* mine.advance(version)
        const waiting = yield* Effect.fork(mine.confirmed(version))
        yield* TestClock.adjust("400 millis")
        assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
        yield* TestClock.adjust("300 millis")
        assert.isTrue(yield* Fiber.join(waiting))
        assert.strictEqual(yield* hit(other), pattern(1).pattern_id)
        // Alone, it is known at once.
        assert.isTrue(yield* mine.confirmed(version))
      })
    ))

  it.effect("does not wait for the dead, and two seconds at most for the silent", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const mine = yield* start()
        yield* hit(mine)
        // It said so once and was killed.
        yield* store.confirm("proc_dead", 0)
        const version = yield* store.put(pattern(1))
        yield* mine.advance(version)
        const waiting = yield* Effect.fork(mine.confirmed(version))
        yield* TestClock.adjust("1900 millis")
        assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
        yield* TestClock.adjust("100 millis")
        assert.isFalse(yield* Fiber.join(waiting))
        yield* TestClock.adjust("3001 millis")
        assert.isTrue(yield* mine.confirmed(version))
      })
    ))

  it.effect("a process that others take for gone does not judge by what it knew", () =>
    run(({ start, store, watched }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        yield* hit(cache)
        watched.before = Effect.fail(new Unavailable({ operation: "BlacklistStore" }))
        yield* TestClock.adjust("3 seconds")
        // The others still wait for it, so what it knows may be used.
        assert.isUndefined(yield* hit(cache))
        yield* store.put(pattern(1))
        yield* TestClock.adjust("1 seconds")
        assert.isTrue(Either.isLeft(yield* Effect.either(cache.matcher(eng))))
        yield* TestClock.adjust("2 seconds")
        assert.deepEqual(yield* alive(store), [])
        watched.before = Effect.void
        assert.strictEqual(yield* hit(cache), pattern(1).pattern_id)
        assert.deepEqual(yield* alive(store), [1])
      })
    ))

  it.effect("says that it is there before it reads the version", () =>
    run(({ start, store, watched }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        const gate = yield* Deferred.make<void>()
        let readings = 0
        watched.before = Effect.suspend(() => ++readings === 2 ? Deferred.await(gate) : Effect.void)
        const first = yield* Effect.fork(hit(cache))
        yield* Effect.yieldNow()
        // It is about to read: whoever adds a pattern now must find it among the living.
        assert.deepEqual(yield* alive(store), [0])
        yield* store.put(pattern(1))
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(yield* Fiber.join(first), pattern(1).pattern_id)
      })
    ))

  it.effect("a version that moves while patterns are loaded is not missed", () =>
    run(({ start, store, watched }) =>
      Effect.gen(function*() {
        const cache = yield* start()
        const gate = yield* Deferred.make<void>()
        watched.beforeLoad = Deferred.await(gate)
        const waiting = yield* Effect.fork(hit(cache))
        yield* Effect.yieldNow()
        yield* cache.advance(yield* store.put(pattern(1)))
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(yield* Fiber.join(waiting), pattern(1).pattern_id)
        assert.strictEqual(watched.loads, 2)
      })
    ))

  it.effect("polls on when the first to ask is not to be interrupted, and ends all the same", () =>
    run(({ start, store }) =>
      Effect.gen(function*() {
        const life = yield* Scope.make()
        const cache = yield* start(life)
        yield* Effect.uninterruptible(hit(cache))
        yield* store.put(pattern(1))
        yield* TestClock.adjust("1 seconds")
        assert.deepEqual(yield* alive(store), [1])
        yield* Scope.close(life, Exit.void)
      })
    ))
})
