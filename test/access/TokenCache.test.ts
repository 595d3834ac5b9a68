import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as TokenCache from "../../src/access/TokenCache.ts"
import { layerMemory, TokenStore } from "../../src/access/TokenStore.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { token } from "./TokenFixture.ts"

/** A store in memory that counts its queries and can be made to wait or fail. */
class Watched {
  queries: Array<ReadonlyArray<string>> = []
  running = 0
  mostRunning = 0
  before: Effect.Effect<void, Unavailable> = Effect.void
}

const layerWatched = (watched: Watched) =>
  Layer.effect(
    TokenStore,
    Effect.map(TokenStore, (store) => ({
      ...store,
      findMany: (ids: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          watched.queries.push(ids)
          watched.mostRunning = Math.max(watched.mostRunning, ++watched.running)
          return Effect.zipRight(watched.before, store.findMany(ids))
        }).pipe(Effect.ensuring(Effect.sync(() => watched.running--)))
    }))
  ).pipe(Layer.provide(layerMemory))

/** Runs a test with a cache, its store, and what the store was asked. */
const run = <A, E>(
  test: (watched: Watched) => Effect.Effect<A, E, TokenCache.TokenCache | TokenStore>
) =>
  Effect.suspend(() => {
    const watched = new Watched()
    return Effect.provide(test(watched), Layer.provideMerge(TokenCache.layer, layerWatched(watched)))
  })

const one = token("1")
const revoked = token("1", { revoked_at: 1_700_000_000_500, version: one.version + 1n })

describe("TokenCache", () => {
  it.effect("asks once for many requests", () =>
    run((watched) =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        yield* (yield* TokenStore).put(one)
        const found = yield* Effect.all(Array.from({ length: 50 }, () => cache.find(one.token_id)), {
          concurrency: "unbounded"
        })
        for (const token of found) assert.deepEqual(token, Option.some(one))
        yield* Effect.replicateEffect(cache.find(one.token_id), 50)
        assert.isAtMost(watched.queries.length, 2)
      })
    ))

  it.effect("a revocation by another process counts within two seconds of steady use", () =>
    run(() =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        const store = yield* TokenStore
        yield* store.put(one)
        yield* cache.find(one.token_id)
        for (let offset = 0; offset < 10; offset++) {
          yield* store.put({ ...one, revoked_at: null, version: one.version + BigInt(offset * 10) })
          yield* TestClock.adjust("3 seconds")
          yield* cache.find(one.token_id)
          yield* TestClock.adjust(offset * 100)
          yield* store.put({ ...revoked, version: one.version + BigInt(offset * 10 + 5) })
          let waited = 0
          while (waited < 2000) {
            yield* TestClock.adjust(50)
            waited += 50
            const found = yield* cache.find(one.token_id)
            if (Option.isSome(found) && found.value.revoked_at !== null) break
          }
          assert.isBelow(waited, 2000)
        }
      })
    ))

  it.effect("a revocation counts after two seconds without use", () =>
    run(() =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        const store = yield* TokenStore
        yield* store.put(one)
        yield* cache.find(one.token_id)
        yield* store.put(revoked)
        yield* TestClock.adjust("1999 millis")
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(revoked))
      })
    ))

  it.effect("reads again in the background while a token is in use", () =>
    run((watched) =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        yield* (yield* TokenStore).put(one)
        yield* cache.find(one.token_id)
        const gate = yield* Deferred.make<void>()
        watched.before = Deferred.await(gate)
        yield* TestClock.adjust("600 millis")
        // Answers at once although the store hangs, and asks it only once.
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(one))
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(one))
        yield* Effect.yieldNow()
        assert.strictEqual(watched.queries.length, 2)
        // Too old: now a request waits.
        yield* TestClock.adjust("1 seconds")
        const waiting = yield* Effect.fork(cache.find(one.token_id))
        yield* Effect.yieldNow()
        assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
        yield* Deferred.succeed(gate, undefined)
        assert.deepEqual(yield* Fiber.join(waiting), Option.some(one))
      })
    ))

  it.effect("an unknown id is asked for each time, so that a new token works at once", () =>
    run(() =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        assert.isTrue(Option.isNone(yield* cache.find(one.token_id)))
        yield* (yield* TokenStore).put(one)
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(one))
      })
    ))

  it.effect("a flood of invented ids makes one query at a time", () =>
    run((watched) =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        watched.before = Effect.yieldNow()
        yield* Effect.forEach(
          Array.from({ length: 2000 }, (_, index) => token(index.toString(16)).token_id),
          (id) => cache.find(id),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(watched.mostRunning, 1)
        assert.isBelow(watched.queries.length, 50)
        for (const ids of watched.queries) assert.isAtMost(ids.length, 500)
      })
    ))

  it.effect("an own write counts at once, and an older read does not undo it", () =>
    run((watched) =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        const store = yield* TokenStore
        yield* store.put(one)
        yield* cache.find(one.token_id)
        yield* TestClock.adjust("600 millis")
        const gate = yield* Deferred.make<void>()
        watched.before = Deferred.await(gate)
        yield* cache.find(one.token_id)
        yield* Effect.yieldNow()
        // The background read is under way and will still see the state before.
        yield* cache.remember(revoked)
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(revoked))
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.yieldNow()
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(revoked))
      })
    ))

  it.effect("a store that fails is told, and asked again", () =>
    run((watched) =>
      Effect.gen(function*() {
        const cache = yield* TokenCache.TokenCache
        yield* (yield* TokenStore).put(one)
        watched.before = Effect.fail(new Unavailable({ operation: "TokenStore.findMany" }))
        assert.isTrue(Either.isLeft(yield* Effect.either(cache.find(one.token_id))))
        watched.before = Effect.void
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(one))
        // What is known serves on while the store is away, but not beyond the promise.
        watched.before = Effect.fail(new Unavailable({ operation: "TokenStore.findMany" }))
        yield* TestClock.adjust("1 seconds")
        assert.deepEqual(yield* cache.find(one.token_id), Option.some(one))
        yield* TestClock.adjust("1 seconds")
        assert.isTrue(Either.isLeft(yield* Effect.either(cache.find(one.token_id))))
      })
    ))
})
