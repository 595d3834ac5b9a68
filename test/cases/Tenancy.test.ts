/**
 * T16 over HTTP, in team mode: ids are no capabilities. Whatever a caller may not see looks exactly like what is not there.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TokenList, TokenMint, TokenRevoke } from "../../src/access/TokenVerbs.ts"
import { MemoryGet, MemoryHistory, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, mint, Tokens } from "./Tokens.ts"

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("Tenancy", (it) => {
  describe("T16 an id is no capability", () => {
    it.effect("ada's row and a row that does not exist are one to bob, for every verb, and nothing happens", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        const set = yield* ok(MemorySet, { namespace, memory_key: "u/diary", value: "SENTINEL dear diary" }, {
          token: ada
        })
        const before = yield* ok(MemoryGet, { namespace, memory_key: "u/diary" }, { token: ada })
        const absent = "mem_01a22936-a239-7b7f-9315-6249a82db593"
        const calls: ReadonlyArray<readonly [string, object]> = [
          ["memory.get_by_id", {}],
          ["memory.update_by_id", { value: "changed" }],
          ["memory.update_by_id", { tags: ["changed"] }],
          ["memory.update_by_id", { value: "changed", if_match_sha256: set.content_sha256 }],
          ["memory.update_by_id", { value: "changed", dry_run: true }],
          ["memory.delete", {}],
          ["memory.delete", { if_match_sha256: set.content_sha256 }],
          ["memory.delete", { user_id: "ada" }],
          ["memory.restore", {}],
          ["memory.history", {}],
          ["memory.history", { user_id: "ada" }]
        ]
        for (const [verb, body] of calls) {
          const there = yield* post(verb, { namespace, memory_id: set.memory_id, ...body }, { token: bob })
          const nowhere = yield* post(verb, { namespace, memory_id: absent, ...body }, { token: bob })
          assert.strictEqual(there.text.replaceAll(set.memory_id, absent), nowhere.text, verb)
          assert.strictEqual(there.status, nowhere.status, verb)
          assert.notInclude(there.text, "SENTINEL")
        }
        const byKey: ReadonlyArray<readonly [string, object]> = [
          ["memory.get", {}],
          ["memory.get", { user_id: "ada" }],
          ["memory.get", { follow: true }],
          ["memory.get", { if_version: set.version_text }],
          ["memory.update", { value: "changed" }],
          ["memory.update", { value: "changed", user_id: "ada" }],
          ["memory.delete", {}],
          ["memory.delete", { user_id: "ada" }],
          ["memory.restore", {}],
          ["memory.history", {}],
          ["memory.history", { user_id: "ada" }],
          ["memory.list", { prefix: "u/diary" }],
          ["memory.list", { prefix: "u/diary", user_id: "ada" }]
        ]
        for (const [verb, body] of byKey) {
          const named = "prefix" in body ? body : { memory_key: "u/diary", ...body }
          const other = "prefix" in body ? { ...body, prefix: "u/other" } : { memory_key: "u/other", ...body }
          const there = yield* post(verb, { namespace, ...named }, { token: bob })
          const nowhere = yield* post(verb, { namespace, ...other }, { token: bob })
          assert.strictEqual(there.text, nowhere.text, `${verb} ${JSON.stringify(body)}`)
        }
        const after = yield* ok(MemoryGet, { namespace, memory_key: "u/diary" }, { token: ada })
        assert.deepStrictEqual(after, before)
        assert.strictEqual(
          (yield* ok(MemoryHistory, { namespace, memory_key: "u/diary" }, { token: ada })).versions.length,
          1
        )
      }))

    it.effect("a deleted row of ada's cannot be restored, read or deleted again by bob", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        const set = yield* ok(MemorySet, { namespace, memory_key: "u/diary", value: "SENTINEL dear diary" }, {
          token: ada
        })
        yield* post("memory.delete", { namespace, memory_id: set.memory_id }, { token: ada })
        for (const verb of ["memory.restore", "memory.get_by_id", "memory.delete", "memory.history"]) {
          const reply = yield* post(verb, { namespace, memory_id: set.memory_id }, { token: bob })
          const nowhere = yield* post(verb, { namespace, memory_id: "mem_none" }, { token: bob })
          assert.strictEqual(reply.text, nowhere.text)
        }
        const list = yield* ok(MemoryList, { namespace, include_tombstoned: true }, { token: bob })
        assert.strictEqual(list.total, 0)
      }))

    it.effect("a user in the body never outranks the token, in no item of a bulk write either", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        for (const user_id of ["ada", "-", "", "BOB", "bob "]) {
          const reply = yield* refusal("memory.set", { namespace, memory_key: "u/a", value: "x", user_id }, {
            token: bob
          })
          assert.include([403, 422], reply.status, user_id)
        }
        const bulk = yield* post("memory.bulk_set", {
          namespace,
          items: [{ memory_key: "u/a", value: "as ada", user_id: "ada" }, {
            memory_key: "u/b",
            value: "as bob",
            user_id: "bob"
          }]
        }, { token: bob })
        assert.include(bulk.text, "\"refused\":1")
        assert.strictEqual((yield* ok(MemoryList, { namespace }, { token: ada })).total, 0)
        const own = yield* ok(MemoryList, { namespace }, { token: bob })
        assert.deepStrictEqual(own.memories.map(({ user_id }) => user_id), ["bob"])
        assert.strictEqual(own.memories[0]?.actor, "human:bob")
      }))

    it.effect("the same claim of two users is two rows, and neither answer names the other", () =>
      Effect.gen(function*() {
        const { ada, bob, writer } = yield* Tokens
        const namespace = freshNamespace()
        const body = { namespace, value: "The office is on Elm Street" }
        yield* ok(MemorySet, { ...body, memory_key: "ada/office" }, { token: ada })
        const answer = yield* ok(MemorySet, { ...body, memory_key: "bob/office" }, { token: bob })
        assert.deepInclude(answer, { merged_into_key: null, duplicate_of: null, conflict_verdict: "clear" })
        assert.deepStrictEqual(answer.peers, [])
        assert.strictEqual((yield* ok(MemoryList, { namespace }, { token: writer })).total, 2)
      }))

    it.effect("one key of two users: each reads and writes only the own row", () =>
      Effect.gen(function*() {
        const { ada, bob, writer } = yield* Tokens
        const key = { namespace: freshNamespace(), memory_key: "u/city" }
        yield* ok(MemorySet, { ...key, value: "Rome is SENTINEL-A" }, { token: ada })
        yield* ok(MemorySet, { ...key, value: "Bern is SENTINEL-B" }, { token: bob })
        const got = yield* post("memory.get", key, { token: bob })
        assert.include(got.text, "SENTINEL-B")
        assert.notInclude(got.text, "SENTINEL-A")
        assert.notInclude(got.text, "other_writers")
        const updated = yield* post("memory.update", { ...key, value: "Basel is SENTINEL-B" }, { token: bob })
        assert.strictEqual(updated.status, 200, updated.text)
        assert.strictEqual((yield* ok(MemoryHistory, key, { token: bob })).versions.length, 2)
        assert.strictEqual((yield* ok(MemoryHistory, key, { token: ada })).versions.length, 1)
        // Who is bound to no user sees both, and must say which one is meant.
        const ambiguous = yield* refusal("memory.update", { ...key, value: "Oslo" }, { token: writer })
        assert.deepInclude(ambiguous, { status: 409, code: "AMBIGUOUS_KEY" })
        assert.strictEqual((yield* ok(MemoryGet, key, { token: writer })).other_writers, 1)
      }))

    it.effect("another org and another namespace are closed in the same words, there or not", () =>
      Effect.gen(function*() {
        const { admin, other, root } = yield* Tokens
        const namespace = freshNamespace()
        const set = yield* ok(MemorySet, { namespace, memory_key: "u/a", value: "SENTINEL" }, { token: admin })
        const narrow = yield* mint(admin, { role: "admin", subject: "narrow", namespaces: ["elsewhere"] })
        const verbs: ReadonlyArray<readonly [string, object]> = [
          ["memory.get", { memory_key: "u/a" }],
          ["memory.get_by_id", { memory_id: set.memory_id }],
          ["memory.list", {}],
          ["memory.history", { memory_key: "u/a" }],
          ["memory.set", { memory_key: "u/a", value: "x" }],
          ["memory.bulk_set", { items: [{ memory_key: "u/a", value: "x" }] }],
          ["memory.update", { memory_key: "u/a", value: "x" }],
          ["memory.delete", { memory_key: "u/a" }],
          ["memory.restore", { memory_key: "u/a" }],
          ["namespace.get", {}]
        ]
        for (const [verb, body] of verbs) {
          for (
            const [token, there, nowhere] of [
              [narrow, { namespace }, { namespace: "no-such" }],
              [other, { namespace, org: "acme" }, { namespace, org: "no-such" }],
              [root, { namespace, org: "acme" }, { namespace: "no-such", org: "no-such" }]
            ] as const
          ) {
            const first = yield* post(verb, { ...body, ...there }, { token })
            const second = yield* post(verb, { ...body, ...nowhere }, { token })
            assert.strictEqual(first.text, second.text, verb)
            assert.strictEqual(first.status, 403, verb)
          }
          // In its own org the namespace of the same name is another one.
          const own = yield* post(verb, { ...body, namespace }, { token: other })
          assert.notInclude(own.text, "SENTINEL")
        }
        const after = yield* ok(MemoryGet, { namespace, memory_key: "u/a" }, { token: admin })
        assert.deepInclude(after, { value: "SENTINEL", reinforcement_count: 1 })
      }))

    it.effect("roles bound what a token does; without one nothing opens", () =>
      Effect.gen(function*() {
        const { ada, reader, writer } = yield* Tokens
        const key = { namespace: freshNamespace(), memory_key: "u/a" }
        yield* ok(MemorySet, { ...key, value: "x" }, { token: writer })
        for (
          const [verb, body] of [
            ["memory.set", { value: "y" }],
            ["memory.update", { value: "y" }],
            ["memory.delete", {}],
            ["memory.restore", {}]
          ] as const
        ) {
          assert.deepInclude(yield* refusal(verb, { ...key, ...body }, { token: reader }), {
            status: 403,
            code: "FORBIDDEN"
          })
        }
        assert.isTrue((yield* ok(MemoryGet, key, { token: reader })).found)
        for (const verb of ["token.mint", "token.list", "token.revoke", "namespace.register"]) {
          for (const token of [reader, writer, ada]) {
            assert.strictEqual((yield* refusal(verb, {}, { token })).status, 403, verb)
          }
        }
        for (
          const token of ["", "x", "loom_x_y", `${writer}x`, writer.slice(0, -1), writer.toUpperCase(), "' OR 1=1 --"]
        ) {
          assert.deepInclude(yield* refusal("memory.get", key, { token }), { status: 401, code: "UNAUTHENTICATED" })
        }
        const headers = { headers: { authorization: `Basic ${writer}` } }
        assert.strictEqual((yield* refusal("memory.get", key, headers)).status, 401)
        assert.strictEqual((yield* refusal("memory.get", key)).status, 401)
      }))

    it.effect("one idempotency key of two callers is two writes", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const body = {
          namespace: freshNamespace(),
          memory_key: "u/a",
          value: "the same words",
          idempotency_key: "once"
        }
        const first = yield* ok(MemorySet, body, { token: ada })
        const second = yield* ok(MemorySet, body, { token: bob })
        assert.notStrictEqual(second.memory_id, first.memory_id)
      }))

    it.effect("an admin sees and ends the tokens of the own org alone", () =>
      Effect.gen(function*() {
        const { admin, other, root } = yield* Tokens
        const minted = yield* ok(TokenMint, {
          kind: "service",
          role: "read",
          subject: "short",
          namespaces: ["a"]
        }, { token: admin })
        const token = minted.token ?? ""
        const theirs = yield* ok(TokenList, {}, { token: other })
        assert.isTrue(theirs.tokens.every(({ org }) => org === "globex"))
        const foreign = yield* post("token.revoke", { token_id: minted.token_id }, { token: other })
        const nowhere = yield* post("token.revoke", { token_id: "x".repeat(minted.token_id.length) }, { token: other })
        assert.strictEqual(
          foreign.text.replaceAll(minted.token_id, "x".repeat(minted.token_id.length)),
          nowhere.text
        )
        assert.isFalse((yield* ok(MemoryGet, { namespace: "a", memory_key: "u/a" }, { token })).found)
        assert.strictEqual(
          (yield* refusal("token.mint", {
            org: "acme",
            kind: "human",
            role: "read",
            subject: "x",
            namespaces: ["*"]
          }, { token: other })).status,
          403
        )
        assert.isTrue((yield* ok(TokenRevoke, { token_id: minted.token_id }, { token: root })).revoked)
        const began = performance.now()
        while ((yield* post("memory.get", { namespace: "a", memory_key: "u/a" }, { token })).status !== 401) {
          assert.isBelow(performance.now() - began, 2_000, "a revoked token opens for at most two seconds")
        }
      }))
  })
})
