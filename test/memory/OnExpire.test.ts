/**
 * What an expiry does to reads: whatever `on_expire` says of the row, it leaves the served set at `expires_at`, is found
 * with the expired ones, and is back when its end is moved.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { MemoryTouch } from "../../src/memory/LifecycleVerbs.ts"
import {
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { ask, call, layer } from "../support/ActorHouse.ts"
import { noon } from "./MemoryFixture.ts"

const memory_key = "team/offer"
const value = "The offer of the week is a bag of plums"

const real = Clock.make()

/** A wall clock that a test sets; waiting goes on in real time, as actors need it. */
class SetClock {
  now = noon
  readonly clock: Clock.Clock = {
    ...real,
    sleep: (duration) => real.sleep(duration),
    unsafeCurrentTimeMillis: () => this.now,
    unsafeCurrentTimeNanos: () => BigInt(this.now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n)
  }
}

/** The write path of one process under a clock that stands until it is set. */
const at = <A, E>(test: (time: SetClock) => Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof layer>>>) => {
  const time = new SetClock()
  return test(time).pipe(Effect.provide(layer()), Effect.withClock(time.clock))
}

const keysOf = (request: object) =>
  Effect.map(ask(MemoryList, request), ({ memories }) => memories.map((one) => one.memory_key))

describe("an expiry", () => {
  for (const on_expire of ["tombstone", "demote", "keep"] as const) {
    it.live(`with on_expire ${on_expire} ends the service of its row, and only that`, () =>
      at((time) =>
        Effect.gen(function*() {
          const { memory_id } = yield* ask(MemorySet, {
            memory_key,
            value,
            ttl_seconds: 60,
            on_expire,
            expire_reason: "a week",
            confidence: 0.8
          })
          time.now = noon + 59_999
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { found: true, on_expire, expire_reason: "a week" })
          assert.deepStrictEqual(yield* keysOf({}), [memory_key])

          time.now = noon + 60_000
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { found: false, status: "expired" })
          assert.isFalse((yield* ask(MemoryGetById, { memory_id })).found)
          assert.deepStrictEqual(yield* keysOf({}), [])
          assert.deepStrictEqual(yield* keysOf({ include_expired: true }), [memory_key])
          const { versions } = yield* ask(MemoryHistory, { memory_key })
          assert.deepStrictEqual(versions.map((one) => [one.status, one.confidence, one.on_expire]), [
            ["active", 0.8, on_expire]
          ])
          // It answers for nobody: the same claim elsewhere is a new one.
          assert.deepInclude(yield* ask(MemorySet, { memory_key: "team/plums", value, dry_run: true }), {
            conflict_verdict: "clear",
            merged_into_key: null
          })

          yield* ask(MemoryTouch, { memory_key, ttl_seconds: 60 })
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { found: true, value, confidence: 0.8, on_expire })
          time.now = noon + 60_000 + 60_000
          assert.isFalse((yield* ask(MemoryGet, { memory_key })).found)
        })
      ))

    it.live(`keeps ${on_expire} when an update or a touch moves its end`, () =>
      at((time) =>
        Effect.gen(function*() {
          yield* ask(MemorySet, { memory_key, value, ttl_seconds: 60, on_expire })
          for (const verb of [MemoryUpdate.tag, MemoryTouch.tag]) {
            time.now += 1
            yield* call(verb, { memory_key, ttl_seconds: 120 })
            assert.strictEqual((yield* ask(MemoryGet, { memory_key })).on_expire, on_expire, verb)
          }
          yield* ask(MemoryUpdate, { memory_key, clear_expiry: true })
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { expires_at: null, on_expire: null })
          yield* ask(MemoryUpdate, { memory_key, ttl_seconds: 60 })
          assert.strictEqual((yield* ask(MemoryGet, { memory_key })).on_expire, "tombstone")
        })
      ))
  }
})
