/** The keys of cursors: made once, shared through the store, and asked for again only now and then. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Refusal } from "../../src/kernel/LoomError.ts"
import type { CursorKey, Listing } from "../../src/kernel/SignedCursor.ts"
import { CursorKeys } from "../../src/platform/CursorKeys.ts"
import * as CursorKeysClickhouse from "../../src/platform/CursorKeysClickhouse.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"

const listing: Listing = { verb: "memory.list", caller: localCaller, filter: {} }

/** One process on the keys that are provided. */
const process = Effect.map(Effect.scoped(Layer.build(Cursors.layer)), Context.get(Cursors.Cursors))

const refused = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

layer(Layer.provideMerge(CursorKeysClickhouse.layer, layerEngine), { timeout: "1 minute" })("Cursors", (it) => {
  it.effect("what one process gave another one takes, also when both began at once", () =>
    Effect.gen(function*() {
      const [one, two] = yield* Effect.all([process, process])
      const given = yield* Effect.all([one.give(listing, "a"), two.give(listing, "b")], { concurrency: 2 })
      yield* TestClock.adjust("1 second")
      for (const each of [one, two]) {
        const taken = yield* Effect.forEach(given, (text) => each.take(listing, Schema.String, text))
        assert.deepStrictEqual(taken, ["a", "b"])
      }
      const late = yield* process
      assert.strictEqual(yield* late.take(listing, Schema.String, given[0]), "a")
      const { all } = yield* CursorKeys
      const before = yield* all
      yield* late.give(listing, "c")
      assert.deepStrictEqual(yield* all, before)
      assert.match(before[0]?.secret ?? "", /^[0-9a-f]{64}$/)
    }))
})

describe("Cursors", () => {
  it.effect("a key nobody knows is looked for once a second", () =>
    Effect.gen(function*() {
      let reads = 0
      const keys: Array<CursorKey> = []
      const store = Layer.succeed(CursorKeys, {
        all: Effect.sync(() => {
          reads++
          return [...keys]
        }),
        add: (key) => Effect.sync(() => void keys.push(key))
      })
      const cursors = yield* Effect.provide(process, store)
      const text = yield* cursors.give(listing, 1)
      reads = 0
      const strange = text.replace(/^.{8}/, "00000000")
      yield* TestClock.adjust("1 second")
      for (let ask = 0; ask < 5; ask++) {
        assert.include(yield* refused(cursors.take(listing, Schema.Number, strange)), "not one that this server gave")
      }
      assert.strictEqual(reads, 1)
      assert.include(
        yield* refused(cursors.take({ ...listing, verb: "x" }, Schema.Number, text)),
        "another verb or filter"
      )
      assert.include(yield* refused(cursors.take(listing, Schema.String, text)), "another verb or filter")
      yield* TestClock.adjust("25 hours")
      const old: Refusal | { readonly message: string } = yield* Effect.flip(cursors.take(listing, Schema.Number, text))
      assert.include(old.message, "older than 24 hours")
    }))
})
