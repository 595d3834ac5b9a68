/** What every token store keeps. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Token } from "../../src/access/TokenModel.ts"
import { TokenStore } from "../../src/access/TokenStore.ts"
import { token } from "./TokenFixture.ts"

const ids = (tokens: ReadonlyArray<Token>) => tokens.map(({ token_id }) => token_id)

/** Each test has an org of its own, since the tests share a store. */
export const suite = <E>(name: string, store: Layer.Layer<TokenStore, E>) =>
  layer(store, { timeout: 60_000 })(`TokenStore (${name})`, (it) => {
    it.effect("gives back what was put, whole", () =>
      Effect.gen(function*() {
        const { findMany, put } = yield* TokenStore
        const plain = token("a1")
        const full = token("a2", {
          namespaces: ["eng", "ops", "it's\t\\odd"],
          role: "admin",
          bound_user: "u1",
          kind: "human",
          subject: "ada@example.com",
          description: "for \"tests\"; DROP TABLE loom.tokens; --\nüñ😀",
          expires_at: 1_800_000_000_123,
          revoked_at: 1_700_000_000_001,
          version: 2n ** 64n - 1n
        })
        const anonymous = token("a3", { bound_user: "-" })
        for (const one of [plain, full, anonymous]) yield* put(one)
        const found = yield* findMany([plain.token_id, full.token_id, anonymous.token_id])
        const byId = new Map(found.map((one) => [one.token_id, one]))
        for (const one of [plain, full, anonymous]) assert.deepEqual(byId.get(one.token_id), one)
      }))

    it.effect("leaves out what it does not know, and asks nothing for nothing", () =>
      Effect.gen(function*() {
        const { findMany, put } = yield* TokenStore
        yield* put(token("b1"))
        assert.deepEqual(ids(yield* findMany([token("b1").token_id, token("b2").token_id, "' OR 1=1 --"])), [
          token("b1").token_id
        ])
        assert.deepEqual(yield* findMany([]), [])
      }))

    it.effect("keeps the state with the highest version, in whatever order they come", () =>
      Effect.gen(function*() {
        const { findMany, put } = yield* TokenStore
        const old = token("c1")
        const revoked = token("c1", { revoked_at: 1_700_000_001_000, version: old.version + 1n })
        yield* put(revoked)
        yield* put(old)
        assert.deepEqual(yield* findMany([old.token_id]), [revoked])
      }))

    it.effect("lists one org newest first, page by page", () =>
      Effect.gen(function*() {
        const { list, put } = yield* TokenStore
        const org = "org-of-pages"
        const at = (id: string, created_at: number) => token(id, { org, created_at })
        // Two of one moment: the id decides between them.
        for (const one of [at("d1", 1000), at("d2", 3000), at("d3", 2000), at("d4", 2000)]) yield* put(one)
        yield* put(token("d9", { org: "another-org", created_at: 2500 }))
        const pages: Array<ReadonlyArray<string>> = []
        let after: { readonly created_at: number; readonly token_id: string } | null = null
        for (;;) {
          const page: ReadonlyArray<Token> = yield* list({ org, revoked: false, after, limit: 3 })
          const last = page.at(-1)
          if (last === undefined) break
          pages.push(ids(page))
          after = last
        }
        const id = (short: string) => token(short).token_id
        assert.deepEqual(pages, [[id("d2"), id("d4"), id("d3")], [id("d1")]])
        const every = yield* list({ org: null, revoked: true, after: null, limit: 1000 })
        assert.includeMembers(ids(every), [id("d9"), id("d1")])
      }))

    it.effect("lists revoked tokens when asked", () =>
      Effect.gen(function*() {
        const { list, put } = yield* TokenStore
        const org = "org-of-revoked"
        yield* put(token("e1", { org }))
        yield* put(token("e1", { org, revoked_at: 1_700_000_001_000, version: token("e1").version + 1n }))
        assert.deepEqual(ids(yield* list({ org, revoked: false, after: null, limit: 10 })), [])
        assert.deepEqual(ids(yield* list({ org, revoked: true, after: null, limit: 10 })), [token("e1").token_id])
      }))
  })
