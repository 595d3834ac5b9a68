/**
 * T24 on another node: what one node has answered for, another finds at once, by every leg, in answers and blocks; what was
 * deleted, it tells no more.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryAsk } from "../../src/ask/AskVerbs.ts"
import { ContextPack } from "../../src/context/PackVerbs.ts"
import { MemoryDelete, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import type { LoomProcess } from "../support/LoomProcess.ts"
import { LoomServer } from "../support/LoomServer.ts"

export const foundOnTheOther = (writing: LoomProcess, reading: LoomProcess): Effect.Effect<void> =>
  Effect.gen(function*() {
    const namespace = freshNamespace()
    const onReader = <A, E>(call: Effect.Effect<A, E, LoomServer>) => Effect.provideService(call, LoomServer, reading)
    const keys = (query: string, fields: object = {}) =>
      onReader(
        Effect.map(
          ok(MemorySearch, { namespace, query, ...fields }),
          ({ results }) => results.map(({ memory_key }) => memory_key)
        )
      )
    for (const [index, token] of ["QX-48213", "zk81bdf0", "FL_009"].entries()) {
      const memory_key = `f/${index}`
      const value = `Ticket ${token} is about the old oak number ${index}`
      // The reader knows the namespace as it was a moment ago.
      assert.notInclude(yield* keys(token), memory_key)
      yield* Effect.provideService(
        ok(MemorySet, { namespace, memory_key, value, entities: [`Oak ${index}`] }),
        LoomServer,
        writing
      )
      for (const query of [value, token]) assert.strictEqual((yield* keys(query))[0], memory_key, query)
      for (const leg of ["vector", "lexical"]) {
        assert.strictEqual((yield* keys(value, { legs: [leg] }))[0], memory_key, leg)
      }
      const answer = yield* onReader(ok(MemoryAsk, { namespace, query: `What is ticket ${token} about?` }))
      assert.include(answer.memory_keys, memory_key)
      const pack = yield* onReader(ok(ContextPack, { namespace, query: `ticket ${token}` }))
      assert.include(pack.block, token)
    }
    yield* Effect.provideService(ok(MemoryDelete, { namespace, memory_key: "f/0" }), LoomServer, writing)
    assert.notInclude(yield* keys("QX-48213"), "f/0")
    const pack = yield* onReader(ok(ContextPack, { namespace, query: "ticket QX-48213" }))
    assert.notInclude(pack.block, "QX-48213 is")
  })
