/**
 * What readers do not hear over HTTP: a bound token nothing of another user's row under its key, and nobody the words of a
 * memory that was turned high, from whichever row they are quoted.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryTimeline } from "../../src/memory/MemoryTimeVerbs.ts"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { freshNamespace, ok, post } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

layer(layerTeam, { excludeTestServices: true, timeout: 90_000 })("Hidden", (it) => {
  it.effect("a bound token is told nothing of the other user's row that took its row's place", () =>
    Effect.gen(function*() {
      const { ada, admin, bob } = yield* Tokens
      const namespace = freshNamespace()
      yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" }, { token: admin })
      const key = { namespace, memory_key: "u/employer" }
      const own = yield* ok(MemorySet, { ...key, value: "Works at ALDERX" }, { token: ada })
      const other = yield* ok(MemorySet, { ...key, value: "Works at BIRCHX" }, { token: bob })
      assert.deepStrictEqual(other.retired, [])
      const reads: ReadonlyArray<readonly [string, object]> = [
        ["memory.get", key],
        ["memory.get", { ...key, as_of: "2020-01-01T00:00:00Z" }],
        ["memory.get_by_id", { namespace, memory_id: own.memory_id }],
        ["memory.list", { namespace, include_superseded: true }],
        ["memory.history", key],
        ["memory.provenance", { namespace, memory_id: own.memory_id }],
        ["memory.lineage", { namespace, memory_id: own.memory_id }],
        ["memory.inspect", { namespace, memory_id: own.memory_id }],
        ["memory.timeline", key],
        ["memory.verify", { namespace, memory_id: own.memory_id }],
        ["memory.search", { namespace, query: "works at", include_superseded: true }]
      ]
      for (const [verb, body] of reads) {
        const { status, text } = yield* post(verb, body, { token: ada })
        assert.strictEqual(status, 200, `${verb} ${text}`)
        for (const word of [other.memory_id, "human:bob", "BIRCHX"]) assert.notInclude(text, word, verb)
      }
      // Whoever may read both is told.
      const { beliefs } = yield* ok(MemoryTimeline, key, { token: admin })
      assert.isTrue(beliefs.some(({ superseded_by }) => superseded_by === other.memory_id))

      const later = { namespace, memory_key: "u/town" }
      const june = yield* ok(MemorySet, { ...later, value: "Lives in Bonn", valid_at: "2026-06-01" }, { token: ada })
      const march = yield* post("memory.set", { ...later, value: "Lives in Rome", valid_at: "2026-03-01" }, {
        token: bob
      })
      assert.notInclude(march.text, june.memory_id)
      assert.notInclude(march.text, "holds a later value")
    }))
})
