import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as SearchHandlers from "../../src/retrieval/SearchHandlers.ts"
import { freshScope } from "../memory/MemoryFixture.ts"
import { layerVerbs, remember } from "./SearchFixture.ts"

const callerOf = (scope: Scope, boundUser: string | null = null): Caller => ({
  actor: "human:ada",
  org: scope.org,
  namespaces: [scope.namespace],
  defaultNamespace: scope.namespace,
  role: "read",
  boundUser
})

const call = (raw: unknown, caller: Caller) =>
  Effect.flatMap(
    SearchHandlers.make,
    ([bound]) => bound === undefined ? Effect.dieMessage("no verb") : Effect.either(bound.call(raw, caller))
  ).pipe(
    Effect.map((result) => result._tag === "Right" ? { status: 200, body: result.right } : toWire(result.left))
  )

const keys = (answer: { readonly body: unknown }): ReadonlyArray<string> =>
  typeof answer.body === "object" && answer.body !== null && "results" in answer.body &&
    Array.isArray(answer.body.results)
    ? answer.body.results.map((hit: { readonly memory_key: string }) => hit.memory_key)
    : []

layer(layerVerbs(), { timeout: "2 minutes" })("memory.search", (it) => {
  describe("handler", () => {
    it.effect("answers a hit with every field of its row, and the parts of the score when asked", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [
          {
            memory_key: "tea",
            value: "Green tea is served at nine",
            tags: ["kind:drink"],
            user_id: "u1",
            entities: ["tea"]
          }
        ])
        const answer = yield* call({ query: "green tea", explain: true, top_k: 1 }, callerOf(scope))
        assert.strictEqual(answer.status, 200)
        assert.containSubset(answer.body, {
          candidates_total: 1,
          degraded: [],
          embedding_model: "test-stems-64/v1",
          next: null,
          results: [{
            memory_key: "tea",
            content_excerpt: "Green tea is served at nine",
            namespace: scope.namespace,
            user_id: "u1",
            tags: ["kind:drink"],
            entities: ["tea"],
            status: "active",
            parent_memory_key: null,
            created_at: "2026-11-29T12:00:00.001Z",
            score_components: { identifier: 0, exact: 0 }
          }]
        })
        const plain = JSON.stringify((yield* call({ query: "green tea" }, callerOf(scope))).body)
        assert.notInclude(plain, "score_components")
      }))

    it.effect("refuses what it cannot mean, and says which field", () =>
      Effect.gen(function*() {
        const caller = callerOf(freshScope())
        const wrong: ReadonlyArray<readonly [raw: unknown, code: string, field: string]> = [
          [{ query: "" }, "INVALID_ARGUMENT", "query"],
          [{ query: " \u200b\n" }, "INVALID_ARGUMENT", "query"],
          [{ query: "\ud800" }, "INVALID_ARGUMENT", "query"],
          [{ query: "x".repeat(9000) }, "INVALID_ARGUMENT", "query"],
          [{}, "INVALID_ARGUMENT", "query"],
          [{ query: 5 }, "INVALID_ARGUMENT", "query"],
          [{ query: "tea", top_k: 0 }, "INVALID_ARGUMENT", "top_k"],
          [{ query: "tea", top_k: 101 }, "INVALID_ARGUMENT", "top_k"],
          [{ query: "tea", top_k: "10" }, "INVALID_ARGUMENT", "top_k"],
          [{ query: "tea", confidence_gte: "0.5" }, "INVALID_ARGUMENT", "confidence_gte"],
          [{ query: "tea", tags: "a" }, "INVALID_ARGUMENT", "tags"],
          [{ query: "tea", tags: ["\udfff"] }, "INVALID_ARGUMENT", "tags"],
          [{ query: "tea", legs: ["graph"] }, "INVALID_ARGUMENT", "legs.0"],
          [{ query: "tea", created_after: "2026-02-30" }, "INVALID_ARGUMENT", "created_after"],
          [{ query: "tea", agent: "a", agent_id: "b" }, "INVALID_ARGUMENT", "agent_id"],
          [{ query: "tea", tag: ["a"] }, "UNKNOWN_FIELD", "tag"],
          [{ query: "tea", "x') OR 1=1 --": 1 }, "UNKNOWN_FIELD", "x') OR 1=1 --"]
        ]
        for (const [raw, code, field] of wrong) {
          const { body, status } = yield* call(raw, caller)
          assert.strictEqual(status, 422, JSON.stringify(raw))
          assert.containSubset(body, { detail: { code, field } }, JSON.stringify(raw))
        }
      }))

    it.effect("a token reads its own scope and, when bound, its own user alone", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [
          { memory_key: "mine", value: "Green tea at nine", user_id: "u1" },
          { memory_key: "yours", value: "Green tea at ten", user_id: "u2" },
          { memory_key: "nobody's", value: "Green tea at noon" }
        ])
        const open = callerOf(scope)
        assert.sameMembers([...keys(yield* call({ query: "green tea" }, open))], ["mine", "yours", "nobody's"])
        assert.deepStrictEqual(keys(yield* call({ query: "green tea", user_id: "u2" }, open)), ["yours"])
        assert.deepStrictEqual(keys(yield* call({ query: "green tea", user_id: "" }, open)), ["nobody's"])
        const bound = callerOf(scope, "u1")
        assert.deepStrictEqual(keys(yield* call({ query: "green tea" }, bound)), ["mine"])
        assert.deepStrictEqual(keys(yield* call({ query: "green tea", user_id: "u1" }, bound)), ["mine"])
        const foreign = yield* call({ query: "green tea", user_id: "u2" }, bound)
        const missing = yield* call({ query: "green tea", tags: ["no such tag"] }, bound)
        assert.deepStrictEqual(keys(foreign), [])
        assert.containSubset(foreign.body, { results: [], candidates_total: 0 })
        assert.containSubset(missing.body, { results: [], candidates_total: 0 })
        for (const elsewhere of [{ namespace: "other" }, { org: "other" }]) {
          assert.strictEqual((yield* call({ query: "green tea", ...elsewhere }, open)).status, 403)
        }
      }))

    it.effect("entities are asked for in any of their forms, lists left empty are no filter", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [{
          memory_key: "a",
          value: "Invoices go out on Mondays",
          entities: ["billing service"]
        }])
        for (const name of ["Billing Services", "the billing-service's", "BILLING_SERVICE"]) {
          assert.deepStrictEqual(keys(yield* call({ query: "invoices", entity_filter: [name] }, callerOf(scope))), [
            "a"
          ], name)
        }
        assert.deepStrictEqual(
          keys(yield* call({ query: "invoices", entity_filter: ["billing"] }, callerOf(scope))),
          []
        )
        const empty = {
          tags: [],
          tags_every: [],
          tags_none: [],
          entity_filter: [],
          exclude_keys: [],
          session_ids: [],
          legs: []
        }
        assert.deepStrictEqual(keys(yield* call({ query: "invoices", ...empty }, callerOf(scope))), ["a"])
      }))
  })
})
