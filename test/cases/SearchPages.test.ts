/**
 * The search as its callers use it over HTTP: several namespaces in one question, pages whose cursor belongs to its
 * caller and question, and excerpts within a budget of tokens. The embedder is the test one.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TokenMint } from "../../src/access/TokenVerbs.ts"
import { MemoryBulkSet, MemoryDelete, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import * as Tokens from "../../src/platform/Tokens.ts"
import { MemorySearch, MemorySearchTrace } from "../../src/retrieval/SearchVerbs.ts"
import type { CallOptions } from "../support/LoomHttp.ts"
import { freshNamespace, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

type Answer = typeof MemorySearch.answer.Type

const search = (fields: object, options: CallOptions = {}) =>
  ok(MemorySearch, { query: "harbour crane", ...fields }, options)

const keysOf = ({ results }: Answer) => results.map(({ memory_key }) => memory_key)

const fill = (namespace: string, count: number, user_id = "ada") =>
  ok(MemoryBulkSet, {
    namespace,
    user_id,
    items: Array.from({ length: count }, (_, at) => ({
      memory_key: `crane/${at}`,
      value: `Harbour crane ${at} was oiled ${"and looked after by the crew ".repeat(at % 7)}on day ${at}`
    }))
  })

const minted = (fields: object) =>
  Effect.map(
    ok(TokenMint, { role: "read", kind: "service", subject: "reader", ...fields }),
    ({ token }): CallOptions => ({ token: token ?? "" })
  )

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Search pages", (it) => {
  it.effect(
    "several namespaces are one list; those a token does not open are neither searched nor named",
    () =>
      Effect.gen(function*() {
        const [one, two, closed] = [freshNamespace(), freshNamespace(), freshNamespace()]
        for (const namespace of [one, two, closed]) yield* fill(namespace, 3)
        const token = yield* minted({ namespaces: [one, two] })
        const asked = { namespaces: [one, two, closed, `${closed}-never`] }
        const answer = yield* search(asked, token)
        assert.deepStrictEqual(answer.namespaces_searched, [one, two])
        assert.deepStrictEqual(answer.namespaces_skipped, [])
        assert.strictEqual(answer.candidates_total, 6)
        assert.deepStrictEqual(new Set(answer.results.map(({ namespace }) => namespace)), new Set([one, two]))
        assert.notInclude(JSON.stringify(answer), closed)
        assert.include(answer.advisories?.join(), "2 of the namespaces named are not open to this token")
        // Whether a closed one exists makes no difference.
        const never = yield* search({ namespaces: [one, two, `${closed}-a`, `${closed}-b`] }, token)
        // What is told beside the hits may be late on a busy machine.
        const beside = { suppressed: null, pending_index: null, degraded: [] }
        assert.deepStrictEqual({ ...never, ...beside }, { ...answer, ...beside })
        const none = yield* search({ namespaces: [closed] }, token)
        assert.deepStrictEqual([none.results, none.namespaces_searched, none.abstain], [[], [], true])
        assert.strictEqual(
          (yield* refusal("memory.search", { query: "x", namespace: closed, namespaces: [one] }, token)).code,
          "FORBIDDEN"
        )
        assert.strictEqual(
          (yield* refusal("memory.search", { query: "x", org: "else", namespaces: [one] }, token)).code,
          "FORBIDDEN"
        )
        // Named twice it is searched once; an empty list is the namespace alone.
        assert.deepStrictEqual((yield* search({ namespace: two, namespaces: [one, two, one] })).namespaces_searched, [
          two,
          one
        ])
        assert.deepStrictEqual((yield* search({ namespace: one, namespaces: [] })).namespaces_searched, [one])
        const many = Array.from({ length: 33 }, (_, at) => `n${at}`)
        assert.strictEqual(
          (yield* refusal("memory.search", { query: "x", namespaces: many })).detail["field"],
          "namespaces"
        )
        const traced = yield* ok(MemorySearchTrace, { query: "harbour crane", namespaces: [one, two] })
        assert.deepStrictEqual(new Set(traced.legs.map(({ namespace }) => namespace)), new Set([one, two]))
      }),
    90_000
  )

  it.effect("a token bound to one user finds that user's rows in every namespace", () =>
    Effect.gen(function*() {
      const [one, two] = [freshNamespace(), freshNamespace()]
      for (const namespace of [one, two]) {
        yield* fill(namespace, 2, "ada")
        yield* ok(MemorySet, { namespace, user_id: "eve", memory_key: "eve/crane", value: "Harbour crane of Eve" })
      }
      const token = yield* minted({ namespaces: ["*"], user_id: "eve" })
      const answer = yield* search({ namespaces: [one, two] }, token)
      assert.deepStrictEqual(keysOf(answer), ["eve/crane", "eve/crane"])
      assert.strictEqual(answer.candidates_total, 2)
    }), 90_000)

  it.effect(
    "pages walk the list that was ranked first, while rows come and go; a cursor is bound to who asked what",
    () =>
      Effect.gen(function*() {
        const [one, two] = [freshNamespace(), freshNamespace()]
        for (const namespace of [one, two]) yield* fill(namespace, 10)
        const namespaces = [one, two]
        const whole = yield* search({ namespaces, top_k: 100 })
        assert.strictEqual(whole.results.length, 20)
        assert.deepStrictEqual([whole.next_page, whole.page_offset], [null, 0])
        const place = ({ memory_key, namespace }: Answer["results"][number]) => `${namespace} ${memory_key}`
        const seen: Array<string> = []
        let cursor: string | null = null
        let page = 0
        /** By others at the same time, and better than all that was ranked. */
        const writing = (page: number) =>
          Effect.forEach(namespaces, (namespace) =>
            ok(MemoryBulkSet, {
              namespace,
              items: Array.from({ length: 6 }, (_, at) => ({
                memory_key: `late/${page}/${at}`,
                value: `Harbour crane ${page} ${at}`
              }))
            }), { concurrency: 2 })
        do {
          const more: object = cursor === null ? {} : { cursor }
          // What is written beside the first page may be on it.
          const written: Effect.Effect<unknown, never, LoomServer.LoomServer> = page === 0 ? Effect.void : writing(page)
          const [answer]: [Answer, unknown] = yield* Effect.all([search({ namespaces, top_k: 8, ...more }), written], {
            concurrency: 2
          })
          assert.strictEqual(answer.page_offset, seen.length)
          assert.isFalse(answer.abstain)
          seen.push(...answer.results.map(place))
          cursor = answer.next_page
          page++
          yield* writing(page + 100)
        } while (cursor !== null && page < 10)
        assert.deepStrictEqual(seen, whole.results.map(place))

        const first = yield* search({ namespaces, top_k: 5 })
        const rest = { namespaces, cursor: first.next_page }
        const following = yield* search({ ...rest, top_k: 1 })
        const [victim] = following.results
        yield* ok(MemoryDelete, {
          namespace: victim?.namespace,
          memory_key: victim?.memory_key,
          user_id: victim?.user_id
        })
        const after = yield* search({ ...rest, top_k: 1 })
        assert.notDeepEqual(after.results.map(place), following.results.map(place))
        const token = yield* minted({ namespaces })
        const refused = (body: object, options: CallOptions = {}) =>
          Effect.map(
            refusal("memory.search", { query: "harbour crane", ...rest, ...body }, options),
            ({ code, detail }) => `${code} ${String(detail["field"])}`
          )
        const others: ReadonlyArray<readonly [object, CallOptions?]> = [
          [{}, token],
          [{ query: "harbour" }],
          [{ namespaces: [two, one] }],
          [{ tags: ["a"] }],
          [{ user_id: "ada" }],
          [{ cursor: first.next_page?.replace(/\..{4}/, ".AAAA") }],
          [{ cursor: "nonsense" }],
          [{ cursor: "" }]
        ]
        for (const [body, options] of others) {
          assert.strictEqual(yield* refused(body, options), "INVALID_ARGUMENT cursor", JSON.stringify(body))
        }
        const elsewhere = yield* refusal("memory.search_trace", { query: "harbour crane", ...rest })
        assert.strictEqual(elsewhere.code, "INVALID_ARGUMENT")
      }),
    90_000
  )

  it.effect("a budget of tokens keeps whole excerpts and says which it left out", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* fill(namespace, 12)
      const plain = yield* search({ namespace })
      assert.deepStrictEqual([plain.bodies_returned, plain.bodies_elided, plain.tokens_returned], [10, 0, null])
      const count = yield* Effect.flatMap(Tokens.Tokens, ({ counter }) => counter).pipe(Effect.provide(Tokens.layer))
      for (const token_budget of [0, 30, 80, 10_000]) {
        const { bodies_elided, bodies_returned, results, tokens_returned } = yield* search({ namespace, token_budget })
        const shown = results.filter(({ body_elided }) => !body_elided)
        assert.deepStrictEqual(
          results.map(({ memory_id }) => memory_id),
          plain.results.map(({ memory_id }) => memory_id)
        )
        assert.deepStrictEqual([bodies_returned, bodies_elided], [shown.length, results.length - shown.length])
        assert.strictEqual(tokens_returned, shown.reduce((sum, { content_excerpt }) => sum + count(content_excerpt), 0))
        assert.isAtMost(tokens_returned ?? Infinity, token_budget)
        for (const [at, hit] of results.entries()) {
          const whole = plain.results[at]
          if (whole === undefined) continue
          assert.strictEqual(hit.content_excerpt, hit.body_elided ? "" : whole.content_excerpt)
          assert.deepStrictEqual([hit.score, hit.relevance], [whole.score, whole.relevance])
          if (hit.body_elided) assert.isTrue(hit.body_truncated)
        }
      }
      assert.strictEqual((yield* search({ namespace, token_budget: 10_000 })).bodies_elided, 0)
      assert.isAbove((yield* search({ namespace, token_budget: 80 })).bodies_returned, 1)
    }), 90_000)
})
