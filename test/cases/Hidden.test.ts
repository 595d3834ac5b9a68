/**
 * What readers do not hear over HTTP: a bound token nothing of another user's row under its key, and nobody the words of a
 * memory that was turned high, from whichever row they are quoted.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConflictsList } from "../../src/memory/ConflictVerbs.ts"
import { MemoryTimeline } from "../../src/memory/MemoryTimeVerbs.ts"
import {
  MemoryBulkSet,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { MemoryInspect } from "../../src/memory/ProvenanceVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { ships } from "../support/Facts.ts"
import { freshNamespace, ok, post } from "../support/LoomHttp.ts"
import type { LoomServer } from "../support/LoomServer.ts"
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

  const secret = "The codeword of gate nine is MARZIPANX"

  it.effect("what repeats a memory that is turned high is turned high with it", () =>
    Effect.gen(function*() {
      const { writer } = yield* Tokens
      const as = { token: writer }
      const says = { value: "The codeword of gate nine is not told here", sensitivity: "high" }
      const ways: ReadonlyArray<(target: object) => Effect.Effect<unknown, never, LoomServer>> = [
        (target) => ok(MemoryUpdate, { ...target, sensitivity: "high" }, as),
        (target) => ok(MemoryUpdate, { ...target, ...says }, as),
        (target) => ok(MemorySet, { ...target, value: secret, sensitivity: "high" }, as),
        ({ namespace, ...item }: { readonly namespace?: string }) =>
          ok(MemoryBulkSet, { namespace, items: [{ ...item, value: secret, sensitivity: "high" }] }, as)
      ]
      for (const way of ways) {
        const namespace = freshNamespace()
        const first = { namespace, memory_key: "h/a/1" }
        yield* ok(MemorySet, { ...first, value: secret }, as)
        const second = { namespace, memory_key: "h/a/2" }
        const repeated = yield* ok(MemorySet, { ...second, value: secret, run_id: "q" }, as)
        assert.strictEqual(repeated.status, "duplicate")
        yield* way(first)
        const unseen = Effect.gen(function*() {
          for (
            const [verb, body] of [
              ["memory.list", { include_duplicates: true }],
              ["memory.search", { query: "codeword of gate nine", include_duplicates: true }],
              ["memory.get_by_id", { memory_id: repeated.memory_id }],
              ["memory.history", { memory_key: "h/a/2" }]
            ] as const
          ) assert.notInclude((yield* post(verb, { namespace, ...body }, as)).text, "MARZIPANX", verb)
          for (const { memory_key } of [first, second]) {
            const { derived } = yield* ok(MemoryInspect, { namespace, memory_key }, as)
            assert.deepInclude(derived, { vectors: 0, chunks: 0 }, memory_key)
          }
        })
        yield* unseen
        const { versions } = yield* ok(MemoryHistory, second, as)
        assert.deepInclude(versions[0], { sensitivity: "high", change: "label" })
        assert.strictEqual(versions[0]?.cause?.rule, "sensitivity.high")
        yield* ok(MemoryUpdate, { ...first, value: "changed completely to frogs", sensitivity: "none" }, as)
        assert.strictEqual((yield* ok(MemoryGet, second, as)).status, "active")
        assert.notInclude((yield* post("memory.list", { namespace }, as)).text, "MARZIPANX")
      }
    }), 90_000)

  it.effect("no reason and no evidence quotes a memory that was turned high", () =>
    Effect.gen(function*() {
      const { writer } = yield* Tokens
      const as = { token: writer }
      const namespace = freshNamespace()
      const vault = (word: string) => `The vault word is ${word} in the north office`
      const turned = yield* ok(MemorySet, { namespace, memory_key: "sec/turn", value: vault("PELICANSEVEN") }, as)
      const peer = yield* ok(MemorySet, { namespace, memory_key: "sec/peer", value: vault("PELICANNINE") }, as)
      assert.strictEqual(peer.conflict_verdict, "conflict")
      yield* ok(MemoryUpdate, { namespace, memory_key: "sec/turn", sensitivity: "high" }, as)
      assert.strictEqual((yield* ok(ConflictsList, { namespace }, as)).total, 1)
      for (const memory_id of [turned.memory_id, peer.memory_id]) {
        for (const verb of ["history", "provenance", "inspect", "lineage", "get_by_id"]) {
          const { text } = yield* post(`memory.${verb}`, { namespace, memory_id }, as)
          assert.notInclude(text, "PELICANSEVEN", verb)
        }
      }
      assert.notInclude((yield* post("conflicts.list", { namespace }, as)).text, "PELICANSEVEN")
      assert.notInclude((yield* post("memory.list", { namespace }, as)).text, "PELICANSEVEN")
    }))

  it.effect("a change of label or type is no restatement, and is judged where the row becomes comparable", () =>
    Effect.gen(function*() {
      const { writer } = yield* Tokens
      const as = { token: writer }
      for (
        const [hidden, shown] of [
          [{ memory_type: "episodic" }, { memory_type: "semantic" }],
          [{ sensitivity: "high" }, { sensitivity: "none" }]
        ] as const
      ) {
        for (const states of [false, true]) {
          const namespace = freshNamespace()
          const first = { namespace, memory_key: "b/a/1" }
          const verb = (more: object) => {
            const body = { ...first, ...shown, pinned: true, ...more }
            return states ? ok(MemorySet, { ...body, value: ships(15) }, as) : ok(MemoryUpdate, body, as)
          }
          const one = yield* ok(MemorySet, { ...first, value: ships(15), pinned: true, ...hidden }, as)
          const other = yield* ok(MemorySet, { namespace, memory_key: "b/a/2", value: ships(16) }, as)
          assert.strictEqual(other.conflict_verdict, "clear")
          const tried = yield* verb({ dry_run: true })
          const cast = yield* verb({})
          for (const answer of [tried, cast]) {
            assert.deepInclude(answer, { conflict_verdict: "conflict", status: "conflicted", pinned: true })
            assert.deepStrictEqual(answer.conflict_with, [other.memory_id])
          }
          assert.strictEqual(cast.reinforcement_count, states ? 2 : 1)
          const got = yield* ok(MemoryGet, { namespace, memory_key: "b/a/2" }, as)
          assert.deepStrictEqual([got.status, got.conflict_with], ["conflicted", [one.memory_id]])
          const found = yield* ok(MemorySearch, {
            namespace,
            query: "When does the Orion release of the payments team ship?"
          }, as)
          assert.strictEqual(found.results.length, 2)
          const { versions } = yield* ok(MemoryHistory, first, as)
          assert.strictEqual(versions[0]?.change, states ? "restate" : "label")
          // Back again: it contradicts nothing that it is compared with.
          yield* ok(MemoryUpdate, { ...first, memory_type: "episodic" }, as)
          assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "b/a/2" }, as)).status, "active")
        }
      }
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "k", value: "The mine gate is shut at night" }, as)
      for (const sensitivity of ["medium", "high", "none"]) {
        const labelled = yield* ok(MemoryUpdate, { namespace, memory_key: "k", sensitivity }, as)
        assert.strictEqual(labelled.reinforcement_count, 1)
      }
      const { versions } = yield* ok(MemoryHistory, { namespace, memory_key: "k" }, as)
      assert.deepStrictEqual(versions.map(({ change }) => change), ["label", "label", "label", "create"])
      const { memories } = yield* ok(MemoryList, { namespace }, as)
      assert.strictEqual(memories.length, 1)
    }))
})
