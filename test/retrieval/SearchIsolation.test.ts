import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { Status } from "../../src/memory/MemoryModel.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { freshScope } from "../memory/MemoryFixture.ts"
import { change, find, layerSearch, type Memory, remember } from "./SearchFixture.ts"

const vocabulary = [
  "vault",
  "heron",
  "deploy",
  "window",
  "ERR_7731",
  "v1.9",
  "billing",
  "Mira",
  "检索",
  "tea",
  "the",
  "lamps"
]
const text = FastCheck.array(FastCheck.constantFrom(...vocabulary), { minLength: 1, maxLength: 8 }).map((words) =>
  words.join(" ")
)
// Longer than an excerpt, so that it has passages.
const long = FastCheck.tuple(text, text).map(([a, b]) => `${a}. ${"Nothing is said here at all. ".repeat(60)}${b}.`)
const item = FastCheck.record({
  memory_key: FastCheck.constantFrom("a/b", "a/c", "x/y/z", "deploy/window", "n/1", "n/2", "n/3", "n/4"),
  value: FastCheck.oneof({ arbitrary: text, weight: 4 }, { arbitrary: long, weight: 1 }),
  tags: FastCheck.subarray(["t1", "t2"]),
  entities: FastCheck.subarray(["vault", "mira"]),
  agent: FastCheck.constantFrom("", "coder"),
  session_id: FastCheck.constantFrom("", "s1"),
  status: FastCheck.constantFrom<Status>("active", "active", "superseded", "duplicate", "proposed")
})
const items = FastCheck.array(item, { minLength: 1, maxLength: 10 })
const narrowing: FastCheck.Arbitrary<Partial<SearchFilter>> = FastCheck.oneof(
  FastCheck.constant({}),
  FastCheck.constant({ tags: ["t1"] }),
  FastCheck.constant({ tags_none: ["t2"] }),
  FastCheck.constant({ entities: ["mira"] }),
  FastCheck.constant({ agent: "coder" }),
  FastCheck.constant({ session_ids: ["s1"] })
)
const cases = FastCheck.record({ mine: items, theirs: items, later: items, query: text, narrowing })

const seen = (scope: Scope, query: string, filter: Partial<SearchFilter>) =>
  Effect.map(
    find(scope, query, filter, { limit: 50, collapse: true }),
    ({ candidates, degraded, hits, suppressed, verdict }) => ({
      candidates,
      degraded,
      suppressed,
      verdict,
      hits: hits.map(({ candidate, components, excerpt, relevance, score, siblings }) => ({
        id: candidate.head.memory_id,
        user: candidate.head.user_id,
        score,
        components,
        relevance,
        siblings,
        excerpt
      }))
    })
  )

const of = (user_id: string, given: ReadonlyArray<Omit<Memory, "user_id">>): ReadonlyArray<Memory> =>
  given.map((memory) => ({ ...memory, user_id }))

// One write per identity in a block: which of two would be the head is the actor's business.
const distinct = (given: ReadonlyArray<Memory>): ReadonlyArray<Memory> => [
  ...new Map(given.map((memory) => [`${memory.agent} ${memory.session_id} ${memory.memory_key}`, memory])).values()
]

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`Isolation in ${name}`, (it) => {
    it.effect(
      "nothing that another tenant, namespace or user does moves a hit, an order, a score or a count",
      () =>
        Effect.forEach(
          FastCheck.sample(cases, { numRuns: 5, seed: 7 }),
          ({ later, mine, narrowing, query, theirs }) =>
            Effect.gen(function*() {
              const scope = freshScope()
              const tenant = { ...scope, org: `${scope.org}-b` }
              const namespace = { ...scope, namespace: `${scope.namespace}-b` }
              yield* remember(scope, of("me", distinct(mine)))
              const filter = { ...narrowing, user_id: "me" }
              const before = yield* seen(scope, query, filter)
              assert.isTrue(before.hits.every(({ score, user }) => Number.isFinite(score) && user === "me"))

              const rows = yield* remember(tenant, of("me", distinct(theirs)))
              yield* remember(namespace, of("me", distinct(theirs)))
              yield* remember(scope, of("you", distinct(theirs)))
              assert.deepStrictEqual(yield* seen(scope, query, filter), before)

              yield* Effect.forEach(rows, (row) => change(row, { status: "tombstoned" }))
              yield* remember(scope, of("you", distinct(later)))
              yield* remember(tenant, of("me", distinct(later)))
              assert.deepStrictEqual(yield* seen(scope, query, filter), before)
            }),
          { discard: true }
        ),
      120_000
    )
  })
}
