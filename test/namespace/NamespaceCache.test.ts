/**
 * A registration is in force in its own process when it is answered, and in another within a second.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { MemoryGet, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import type { Namespace } from "../../src/namespace/NamespaceModel.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { layerMemory, NamespaceStore } from "../../src/namespace/NamespaceStore.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"

const scope = { org: "acme", namespace: "eng" }

const registration = (version: bigint, changed: Partial<Namespace> = {}): Namespace => ({
  ...scope,
  default_conflict_policy: "append_only",
  description: "",
  settings: noSettings,
  created_at: 0,
  updated_at: 0,
  actor: "human:ada",
  version,
  ...changed
})

const house = Layer.provideMerge(NamespaceCache.layer, layerMemory)

describe("a registration of this process", () => {
  it.live("decides over the write that follows it, either way", () =>
    Effect.gen(function*() {
      const set = (memory_key: string, value: string, agent: string) =>
        ask(MemorySet, { memory_key, value, agent, namespace: "eng" })
      const register = (default_conflict_policy: string) =>
        ask(NamespaceRegister, { namespace: "eng", default_conflict_policy })
      yield* set("e/0", "Herons wade", "")
      yield* register("append_only")
      yield* set("p/1", "Valve 0 opens at 4 bar", "")
      assert.strictEqual((yield* set("p/2", "Valve 0 opens at 7 bar", "")).conflict_verdict, "clear")
      yield* register("newest_wins")
      yield* set("e/1", "Ann lives in Oslo", "a")
      yield* register("manual_review")
      const second = yield* set("e/1", "Ann lives in Rome", "b")
      assert.deepStrictEqual(second.retired, [])
      const first = yield* ask(MemoryGet, { namespace: "eng", memory_key: "e/1", agent: "a" })
      assert.notStrictEqual(first.status, "superseded")
    }).pipe(Effect.provide(layer())))

  it.effect("is not taken back by a reading that began before it", () =>
    Effect.gen(function*() {
      const [begun, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const layerSlow = Layer.effect(
        NamespaceStore,
        Effect.map(NamespaceStore, (store) => ({
          ...store,
          find: (of: typeof scope) =>
            Effect.tap(
              store.find(of),
              () => Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(goesOn))
            )
        }))
      ).pipe(Layer.provide(layerMemory))
      yield* Effect.gen(function*() {
        const cache = yield* NamespaceCache.NamespaceCache
        const reading = yield* Effect.fork(cache.registered(scope))
        yield* Deferred.await(begun)
        yield* cache.advance(registration(1n))
        yield* Deferred.succeed(goesOn, undefined)
        assert.strictEqual((yield* Fiber.join(reading))?.version, 1n)
        assert.strictEqual((yield* cache.registered(scope))?.version, 1n)
      }).pipe(Effect.provide(Layer.provideMerge(NamespaceCache.layer, layerSlow)))
    }))
})

describe("a registration of another process", () => {
  it.effect("is read within a second", () =>
    Effect.gen(function*() {
      const [cache, store] = [yield* NamespaceCache.NamespaceCache, yield* NamespaceStore]
      assert.isUndefined(yield* cache.registered(scope))
      yield* store.put(registration(1n))
      yield* TestClock.adjust(999)
      assert.isUndefined(yield* cache.registered(scope))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* cache.registered(scope))?.version, 1n)
    }).pipe(Effect.provide(house)))
})
