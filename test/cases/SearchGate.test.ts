/**
 * What a search says beside its hits, over HTTP in team mode: that it does not know, how sure it is, what it hid, what was
 * folded into one hit, and what each way of searching found. Nothing of it may come from rows the caller may not read.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { LEGS } from "../../src/retrieval/SearchModel.ts"
import { MemorySearch, MemorySearchTrace } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, post } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

const none = { superseded: 0, duplicate: 0, proposed: 0, rejected: 0, expired: 0 }

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("The gate of a search", (it) => {
  it.effect("a question about nothing stored is answered with a 200 that says so", () =>
    Effect.gen(function*() {
      const token = (yield* Tokens).admin
      const namespace = freshNamespace()
      const ask = (query: string) => ok(MemorySearch, { namespace, query }, { token })
      const empty = yield* ask("volcanic glass prices")
      assert.deepInclude(empty, { results: [], abstain: true, abstain_code: "NO_MATCH", retrieval_confidence: 0 })
      yield* ok(MemorySet, { namespace, memory_key: "tea", value: "Green tea is served at nine in the garden" }, {
        token
      })
      const foreign = yield* ask("volcanic glass prices")
      assert.deepInclude(foreign, { abstain: true, abstain_code: "BELOW_THRESHOLD", degraded: [], suppressed: none })
      assert.match(foreign.abstain_reason ?? "", /relevance of 0\.0\d+/)
      assert.isTrue(foreign.results.every(({ below_threshold }) => below_threshold))
      const known = yield* ask("when is green tea served?")
      assert.deepInclude(known, { abstain: false, abstain_code: null, abstain_reason: null, suppressed: none })
      assert.strictEqual(known.retrieval_confidence, known.results[0]?.relevance)
      assert.deepInclude(known.results[0], { memory_key: "tea", below_threshold: false, siblings_folded: 0 })
      // The relevance is the memory's own: what comes beside it moves no digit.
      yield* ok(MemorySet, { namespace, memory_key: "more", value: "When green tea is served: at ten" }, { token })
      const beside = yield* ask("when is green tea served?")
      assert.strictEqual(
        beside.results.find(({ memory_key }) => memory_key === "tea")?.relevance,
        known.results[0]?.relevance
      )
    }))

  it.effect("what was replaced, repeated, proposed or has ended is counted until it is asked for", () =>
    Effect.gen(function*() {
      const token = (yield* Tokens).admin
      const namespace = freshNamespace()
      const ask = (query: string, fields: object = {}) => ok(MemorySearch, { namespace, query, ...fields }, { token })
      const set = (memory_key: string, value: string, fields: object = {}) =>
        ok(MemorySet, { namespace, memory_key, value, ...fields }, { token })
      yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" }, { token })
      yield* set("u/employer", "Works at Alder", { agent: "one", valid_at: "2026-03-01T00:00:00Z" })
      yield* set("u/employer", "Works at Birch", { agent: "two", valid_at: "2026-06-01T00:00:00Z" })
      const works = yield* ask("works at")
      assert.deepStrictEqual([works.results.length, works.suppressed], [1, { ...none, superseded: 1 }])
      const both = yield* ask("works at", { include_superseded: true })
      assert.deepStrictEqual([both.results.length, both.suppressed], [2, none])
      assert.deepStrictEqual((yield* ask("works at", { agent: "two" })).suppressed, none)
      assert.deepStrictEqual((yield* ask("works at", { agent: "one" })).suppressed, { ...none, superseded: 1 })
      assert.isNull((yield* ask("works at", { as_of: "2026-07-01T00:00:00Z" })).suppressed)

      yield* set("u/coffee", "Otto likes oat coffee")
      yield* set("u/other", "Nothing of the kind")
      yield* ok(MemoryUpdate, { namespace, memory_key: "u/other", value: "Otto likes oat coffee!" }, { token })
      const coffee = yield* ask("oat coffee", { top_k: 1 })
      assert.deepStrictEqual([coffee.results.length, coffee.suppressed?.duplicate], [1, 1])
      assert.lengthOf((yield* ask("oat coffee", { include_duplicates: true, top_k: 2 })).results, 2)

      yield* set("u/proposal", "The lighthouse lamp is green", { proposed: true })
      yield* set("u/over", "The lighthouse lamp was white", { valid_to: "2020-01-01T00:00:00Z" })
      assert.deepInclude((yield* ask("lighthouse lamp", { top_k: 5 })).suppressed, { proposed: 1, expired: 1 })
    }))

  it.effect("both sides of a contradiction stay two hits", () =>
    Effect.gen(function*() {
      const token = (yield* Tokens).admin
      const namespace = freshNamespace()
      yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "manual_review" }, { token })
      for (const value of ["Works at Alder", "Works at Birch"]) {
        yield* ok(MemorySet, { namespace, memory_key: "u/employer", agent: value.slice(-5), value }, { token })
      }
      const { results } = yield* ok(MemorySearch, { namespace, query: "works at" }, { token })
      assert.sameMembers(results.map(({ content_excerpt }) => content_excerpt), ["Works at Alder", "Works at Birch"])
      assert.isTrue(results.every(({ siblings_folded }) => siblings_folded === 0))
    }))

  it.effect("a trace shows what each leg found, in the scope and under the filter of the search", () =>
    Effect.gen(function*() {
      const { ada, bob } = yield* Tokens
      const namespace = freshNamespace()
      const set = (memory_key: string, value: string, fields: object, token: string) =>
        ok(MemorySet, { namespace, memory_key, value, ...fields }, { token })
      yield* set("door/hours", "Heron gate opens at nine", { entities: ["Heron Gate"], tags: ["a"] }, ada)
      yield* set("door/key", "She keeps the spare one", { entities: ["Heron Gate"], tags: ["b"] }, ada)
      yield* set("door/bob", "Heron gate opens at ten", { entities: ["Heron Gate"], tags: ["a"] }, bob)
      const asked = { namespace, query: "When does the heron gate open?" }
      const trace = yield* ok(MemorySearchTrace, asked, { token: ada })
      const found = yield* ok(MemorySearch, { ...asked, explain: true }, { token: ada })
      const { legs, terms, ...answer } = trace
      assert.deepStrictEqual<unknown>(answer, found)
      assert.deepStrictEqual(legs.map(({ leg }) => leg), [...LEGS])
      assert.include(terms.map(({ stem }) => stem), "heron")
      const keys = (name: string) => legs.find(({ leg }) => leg === name)?.hits.map(({ memory_key }) => memory_key)
      assert.deepStrictEqual(keys("lexical"), ["door/hours"])
      assert.sameMembers([...keys("entities") ?? []], ["door/hours", "door/key"])
      for (const { failed, hits } of legs) {
        assert.isNull(failed)
        assert.isTrue(hits.every(({ user_id }) => user_id === "ada"))
        hits.slice(1).forEach(({ score }, at) => assert.isAtMost(score, hits[at]?.score ?? 0))
      }
      const tagged = yield* ok(MemorySearchTrace, { ...asked, tags: ["b"], legs: ["entities"] }, { token: ada })
      assert.deepStrictEqual(tagged.legs.map(({ hits, leg }) => [leg, hits.map(({ memory_key }) => memory_key)]), [
        ["entities", ["door/key"]]
      ])
      const foreign = yield* ok(MemorySearchTrace, { ...asked, user_id: "bob" }, { token: ada })
      assert.deepStrictEqual([foreign.results, foreign.legs], [[], []])
    }))

  it.effect("no row of another tenant, namespace or user changes a byte of the answer", () =>
    Effect.gen(function*() {
      const { ada, bob, other } = yield* Tokens
      const namespace = freshNamespace()
      const fill = (token: string, space: string, word: string) =>
        Effect.gen(function*() {
          const set = (memory_key: string, value: string, fields: object = {}) =>
            ok(MemorySet, { namespace: space, memory_key, value, ...fields }, { token })
          yield* set("tea", `Green tea is served at ${word}`)
          yield* set("old", `Green tea was served at ${word} before`, { valid_to: "2020-01-01T00:00:00Z" })
          yield* set("maybe", `Green tea may be served after ${word}`, { proposed: true })
        })
      yield* fill(ada, namespace, "nine")
      const asked = { namespace, query: "when is green tea served?" }
      const answers = Effect.forEach(["memory.search", "memory.search_trace"], (verb) =>
        Effect.map(post(verb, asked, { token: ada }), ({ text }) => text))
      const before = yield* answers
      assert.include(before[0], "\"expired\":1")
      assert.include(before[0], "\"proposed\":1")
      yield* fill(bob, namespace, "ten")
      yield* fill(other, namespace, "noon")
      yield* fill(ada, `${namespace}-2`, "dusk")
      assert.deepStrictEqual(yield* answers, before)
    }))
})
