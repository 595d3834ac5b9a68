import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { rootCaller } from "../../src/access/RootToken.ts"
import * as TokenCache from "../../src/access/TokenCache.ts"
import * as TokenHandlers from "../../src/access/TokenHandlers.ts"
import { parseToken, secretMatches } from "../../src/access/TokenModel.ts"
import { layerMemory, TokenStore } from "../../src/access/TokenStore.ts"
import { TokenList, TokenMint, TokenRevoke } from "../../src/access/TokenVerbs.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { caller } from "./TokenFixture.ts"

const call = (tag: string, request: unknown, as: Caller) =>
  Effect.flatMap(TokenHandlers.make, (verbs) => {
    const bound = verbs.find(({ verb }) => verb.tag === tag)
    return bound === undefined ? Effect.dieMessage(`no ${tag}`) : bound.call(request, as)
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeUnknownSync(Schema.encodedSchema(schema))

const wanted = { namespaces: ["eng"], role: "write", kind: "service", subject: "bot" }
const mint = (more: object = {}, as = caller()) =>
  Effect.map(call("token.mint", { ...wanted, ...more }, as), decoded(TokenMint.answer))
const revoke = (token_id: string, as = caller()) =>
  Effect.map(call("token.revoke", { token_id }, as), decoded(TokenRevoke.answer))
const list = (request: object = {}, as = caller()) =>
  Effect.map(call("token.list", request, as), decoded(TokenList.answer))

const codeOf = <A, R>(effect: Effect.Effect<A, Parameters<typeof toWire>[0], R>) =>
  Effect.map(Effect.either(effect), (result) => Either.isLeft(result) ? toWire(result.left).body.detail.code : "none")

layer(Layer.mergeAll(TokenCache.layer, Cursors.layerMemory).pipe(Layer.provideMerge(layerMemory)))(
  "TokenHandlers",
  (it) => {
    it.effect("mint answers the secret once and stores its hash alone", () =>
      Effect.gen(function*() {
        const answer = yield* mint({
          description: "for CI",
          ttl_seconds: 60,
          user_id: "u1",
          namespaces: ["eng", "eng", "ops"]
        })
        const halves = parseToken(answer.token ?? "")
        assert.strictEqual(halves?.id, answer.token_id)
        const [stored] = yield* (yield* TokenStore).findMany([answer.token_id])
        assert.isTrue(stored !== undefined && secretMatches(stored, halves?.secret ?? ""))
        assert.notInclude(JSON.stringify({ ...stored, version: "" }), halves?.secret ?? "?")
        assert.deepInclude(answer, {
          org: "acme",
          namespaces: ["eng", "ops"],
          role: "write",
          user_id: "u1",
          kind: "service",
          subject: "bot",
          actor: "process:bot",
          description: "for CI",
          created_by: "human:boss",
          created_at: "1970-01-01T00:00:00.000Z",
          expires_at: "1970-01-01T00:01:00.000Z",
          revoked_at: null
        })
      }))

    it.effect("mint keeps within the caller's reach", () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* codeOf(mint({}, caller({ role: "write" }))), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(mint({ org: "other" })), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(mint({}, caller({ namespaces: ["ops"] }))), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(mint({ org: "other" }, localCaller)), "FORBIDDEN")
        assert.strictEqual((yield* mint({}, localCaller)).org, "dev")
        assert.strictEqual(
          (yield* mint({ org: "brand-new", namespaces: ["*"], role: "admin" }, rootCaller)).org,
          "brand-new"
        )
        // A token of a bound minter is bound like it.
        assert.strictEqual((yield* mint({}, caller({ boundUser: "u1" }))).user_id, "u1")
        assert.strictEqual(yield* codeOf(mint({ user_id: "u2" }, caller({ boundUser: "u1" }))), "FORBIDDEN")
      }))

    it.effect("mint refuses what would deceive", () =>
      Effect.gen(function*() {
        const bad = [
          {}, // the root token must say for which org
          { org: "-" },
          { org: "acme", subject: "loom-root" },
          { org: "acme", subject: "" },
          { org: "acme", subject: "a\u0000b" },
          { org: "acme", subject: "x".repeat(129) },
          { org: "acme", namespaces: [] },
          { org: "acme", namespaces: [""] },
          { org: "acme", role: "owner" },
          { org: "acme", kind: "robot" },
          { org: "acme", ttl_seconds: 0 },
          { org: "acme", ttl_seconds: 1.5 },
          { org: "acme", ttl_seconds: 1e12 }
        ]
        for (const more of bad) {
          assert.strictEqual(yield* codeOf(mint(more, rootCaller)), "INVALID_ARGUMENT", JSON.stringify(more))
        }
        assert.strictEqual(yield* codeOf(mint({ token_id: "mine" })), "UNKNOWN_FIELD")
      }))

    it.effect("mint under an idempotency key mints once", () =>
      Effect.gen(function*() {
        const first = yield* mint({ idempotency_key: "k1" })
        yield* TestClock.adjust("5 seconds")
        const again = yield* mint({ idempotency_key: "k1" })
        assert.isNotNull(first.token)
        assert.deepEqual(again, { ...first, token: null })
        assert.strictEqual(yield* codeOf(mint({ idempotency_key: "k1", role: "read" })), "IDEMPOTENCY_CONFLICT")
        assert.notStrictEqual(
          (yield* mint({ idempotency_key: "k1" }, caller({ actor: "human:other" }))).token_id,
          first.token_id
        )
        assert.notStrictEqual((yield* mint({ idempotency_key: "k2" })).token_id, first.token_id)
      }))

    it.effect("of two mints at once under one key, only the one that counts hands out a secret", () =>
      Effect.gen(function*() {
        const both = yield* Effect.all([mint({ idempotency_key: "race" }), mint({ idempotency_key: "race" })], {
          concurrency: 2
        })
        const secrets = both.flatMap(({ token }) => token === null ? [] : [token])
        assert.strictEqual(new Set(both.map(({ token_id }) => token_id)).size, 1)
        const [stored] = yield* (yield* TokenStore).findMany([both[0].token_id])
        for (const text of secrets) {
          assert.isTrue(stored !== undefined && secretMatches(stored, parseToken(text)?.secret ?? ""))
        }
      }))

    it.effect("revoke is final, repeatable, and a miss for whom it does not concern", () =>
      Effect.gen(function*() {
        const { token_id } = yield* mint({ namespaces: ["eng"] })
        const miss = { found: false, revoked: false, token_id, revoked_at: null }
        assert.deepEqual(yield* revoke(token_id, caller({ org: "other" })), miss)
        assert.deepEqual(yield* revoke(token_id, caller({ namespaces: ["ops"] })), miss)
        assert.deepEqual(yield* revoke(token_id, caller({ boundUser: "u1" })), miss)
        assert.strictEqual(yield* codeOf(revoke(token_id, caller({ role: "write" }))), "FORBIDDEN")
        assert.deepEqual(yield* revoke("no-such-token"), { ...miss, token_id: "no-such-token" })
        const first = yield* revoke(token_id)
        assert.deepInclude(first, { found: true, revoked: true })
        yield* TestClock.adjust("5 seconds")
        assert.deepEqual(yield* revoke(token_id, rootCaller), first)
      }))

    it.effect("list shows what the caller covers, never a secret, page by page", () =>
      Effect.gen(function*() {
        const boss = caller({ org: "listed" })
        const made = []
        for (const namespaces of [["a"], ["b"], ["a", "b"], ["*"]]) {
          yield* TestClock.adjust("1 seconds")
          made.push((yield* mint({ namespaces }, boss)).token_id)
        }
        const [a, b, ab, all] = made
        yield* revoke(b ?? "", boss)
        const ids = (answer: { readonly tokens: ReadonlyArray<{ readonly token_id: string }> }) =>
          answer.tokens.map(({ token_id }) => token_id)
        assert.deepEqual(ids(yield* list({}, boss)), [all, ab, a])
        assert.deepEqual(ids(yield* list({ include_revoked: true }, boss)), [all, ab, b, a])
        assert.deepEqual(ids(yield* list({}, caller({ org: "listed", namespaces: ["a"] }))), [a])
        assert.deepEqual(ids(yield* list({ org: "listed" })), [])
        assert.deepEqual(ids(yield* list({ org: "listed" }, rootCaller)), [all, ab, a])
        assert.includeMembers(ids(yield* list({}, rootCaller)), [all, ab, a])
        const first = yield* list({ limit: 2 }, boss)
        const rest = yield* list({ limit: 2, cursor: first.next_cursor }, boss)
        assert.deepEqual([ids(first), ids(rest), rest.next_cursor], [[all, ab], [a], null])
        assert.strictEqual(yield* codeOf(list({ cursor: "1.x" })), "INVALID_ARGUMENT")
        assert.notMatch(JSON.stringify(yield* list({}, boss)), /[0-9a-f]{64}/)
      }))
  }
)
