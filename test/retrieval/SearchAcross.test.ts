/**
 * Several namespaces in one search, and its pages: what is in one namespace moves nothing in another, and what is written
 * between two pages makes no hit come twice and none of the ranked ones go missing.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import type { Scope } from "../../src/kernel/Identity.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { Search } from "../../src/retrieval/Search.ts"
import type { SearchRequest } from "../../src/retrieval/Search.ts"
import * as SearchAcross from "../../src/retrieval/SearchAcross.ts"
import type { AcrossRequest, Page } from "../../src/retrieval/SearchAcross.ts"
import { freshScope } from "../memory/MemoryFixture.ts"
import { anyRow, change, find, layerSearch, remember } from "./SearchFixture.ts"

const ask = (scopes: ReadonlyArray<Scope>, text: string, more: Partial<AcrossRequest> = {}) =>
  Effect.gen(function*() {
    const search = yield* Search
    const across = yield* SearchAcross.make
    return yield* across({
      scopes,
      page: null,
      filter: anyRow,
      text,
      limit: 10,
      legs: [],
      collapse: true,
      excerptLength: 400,
      ...more
    }, search.find)
  })

const told = ({ hits }: Effect.Effect.Success<ReturnType<typeof ask>>) =>
  hits.map(({ hit, scope }) => ({ namespace: scope.namespace, id: hit.candidate.head.memory_id, score: hit.score }))

const WORDS = ["tea", "green", "nine", "harbour", "billing", "deploy", "invoice"]
const texts = fc.array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 6
})

const fill = (scope: Scope, given: ReadonlyArray<ReadonlyArray<string>>) =>
  remember(scope, given.map((words, at) => ({ memory_key: `k/${at}`, value: words.join(" ") })))

layer(layerSearch(), { timeout: "2 minutes" })("SearchAcross", (it) => {
  it.effect.prop(
    "each namespace's hits, scores and order are those of a search of it alone",
    [fc.array(texts, { minLength: 2, maxLength: 3 }), fc.constantFrom("green tea", "deploy at nine", "billing")],
    ([spaces, question]) =>
      Effect.gen(function*() {
        const scopes = spaces.map(() => freshScope())
        yield* Effect.forEach(scopes, (scope, at) => fill(scope, spaces[at] ?? []))
        const all = told(yield* ask(scopes, question, { limit: 100 }))
        for (const scope of scopes) {
          const alone = yield* find(scope, question, {}, { limit: 100, collapse: true })
          assert.deepStrictEqual(
            all.filter(({ namespace }) => namespace === scope.namespace).map(({ id, score }) => [id, score]),
            alone.hits.map(({ candidate, score }) => [candidate.head.memory_id, score])
          )
        }
        const scores = all.map(({ score }) => score)
        assert.deepStrictEqual(scores, [...scores].sort((a, b) => b - a))
      }),
    { fastCheck: { numRuns: 8 } }
  )

  it.effect("equal claims of two namespaces are two hits, of one namespace one", () =>
    Effect.gen(function*() {
      const scopes = [freshScope(), freshScope()]
      for (const scope of scopes) {
        yield* remember(scope, [
          { memory_key: "a", value: "Green tea at nine" },
          { memory_key: "b", value: "Green tea at nine!" }
        ])
      }
      const { candidates, hits } = yield* ask(scopes, "green tea")
      assert.deepStrictEqual(hits.map(({ hit, scope }) => [scope.namespace, hit.siblings]), [
        [scopes[0]?.namespace, 1],
        [scopes[1]?.namespace, 1]
      ])
      assert.strictEqual(candidates, 4)
    }))

  it.effect("pages give the ranked list once and whole, whatever is written, deleted or changed between them", () =>
    Effect.gen(function*() {
      const scopes = [freshScope(), freshScope()]
      const rows = yield* Effect.forEach(scopes, (scope, space) =>
        remember(
          scope,
          Array.from({ length: 14 }, (_, at) => ({
            memory_key: `k/${at}`,
            value: `Green tea ${"and more words ".repeat((at * 5 + space) % 13)}number ${space * 100 + at}`
          }))
        ))
      const whole = told(yield* ask(scopes, "green tea", { limit: 100 }))
      assert.strictEqual(whole.length, 28)
      const seen: Array<ReturnType<typeof told>[number]> = []
      let page: Page | null = null
      let pages = 0
      const gone = whole[20]?.id
      const changed = whole[11]?.id
      do {
        const answer: Effect.Effect.Success<ReturnType<typeof ask>> = yield* ask(scopes, "green tea", {
          limit: 6,
          page
        })
        assert.strictEqual(answer.offset, seen.length)
        seen.push(...told(answer))
        page = answer.next
        pages++
        for (const [space, scope] of scopes.entries()) {
          // Better ones than all that were ranked, which push those out of what the legs bring.
          yield* remember(
            scope,
            Array.from({ length: 40 }, (_, at) => ({ memory_key: `new/${pages}/${at}`, value: `Green tea ${at}` }))
          )
          for (const row of rows[space]?.filter(({ memory_id }) => pages === 1 && memory_id === gone) ?? []) {
            yield* change(row, { status: "tombstoned" })
          }
          for (const row of rows[space]?.filter(({ memory_id }) => pages === 1 && memory_id === changed) ?? []) {
            yield* change(row, { tags: ["changed"] })
          }
        }
      } while (page !== null && pages < 10)
      assert.deepStrictEqual(seen.map(({ id }) => id), whole.map(({ id }) => id).filter((id) => id !== gone))
      assert.strictEqual(pages, 5)
    }))

  it.effect("a namespace that fails is named and the others answer; a later page waits for it", () =>
    Effect.gen(function*() {
      const scopes = [freshScope(), freshScope()]
      for (const scope of scopes) yield* fill(scope, [["green", "tea"], ["green", "tea", "nine"]])
      const search = yield* Search
      const broken = (request: SearchRequest) =>
        request.scope === scopes[0] ? Effect.fail(new Unavailable({ operation: "test" })) : search.find(request)
      const across = yield* SearchAcross.make
      const request = {
        scopes,
        page: null,
        filter: anyRow,
        text: "green tea",
        limit: 1,
        legs: [],
        excerptLength: 400
      }
      const part = yield* across(request, broken)
      assert.deepStrictEqual(part.failed, [scopes[0]])
      assert.deepStrictEqual(part.degraded, ["namespace_unavailable"])
      assert.deepStrictEqual(part.hits.map(({ scope }) => scope), [scopes[1]])
      assert.strictEqual(
        (yield* Effect.flip(across({ ...request, scopes: scopes.slice(0, 1) }, broken)))._tag,
        "Unavailable"
      )
      const first = yield* across(request, search.find)
      assert.strictEqual((yield* Effect.flip(across({ ...request, page: first.next }, broken)))._tag, "Unavailable")
      const second = yield* across({ ...request, limit: 5, page: first.next }, search.find)
      assert.deepStrictEqual([second.hits.length, second.next, second.offset], [3, null, 1])
      // A page of weak hits makes the answer no less sure than its first page did.
      assert.isAtLeast(second.verdict.confidence, first.verdict.confidence)
    }))

  it.effect("a list without namespaces finds nothing and says so", () =>
    Effect.gen(function*() {
      const { candidates, hits, next, verdict } = yield* ask([], "green tea")
      assert.deepStrictEqual([hits, candidates, next, verdict.abstain?.code], [[], 0, null, "NO_MATCH"])
    }))
})
