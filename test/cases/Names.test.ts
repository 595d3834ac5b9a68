/**
 * Cases of names and filter values over HTTP, in team mode: T15 (injection by filter values), T17 (names with unusual
 * characters).
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryGet, MemoryGetById, MemoryHistory, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { unrelated } from "../support/Facts.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

const hostile = [
  "\") or true or (\"",
  "' OR '1'='1",
  "x') UNION ALL SELECT * FROM loom.memory --",
  "'; DROP TABLE loom.memory; --",
  "\\",
  "\\'",
  "\\\\' OR 1=1 --",
  "`",
  "{p:String}",
  "{org:String}",
  "%",
  "_",
  "*",
  "?",
  "*/ OR 1=1 /*",
  "__proto__",
  "＇ OR 1=1"
]

const noServerText = (text: string) =>
  assert.notMatch(
    text,
    /DB::|clickhouse|loom\.(memory|tokens)\W.*(SELECT|UNION)|\n\s+at |node:internal|\.ts:\d|syntax error/i
  )

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("Names", (it) => {
  describe("T15 filter values are literal", () => {
    it.effect(
      "no filter of a list, get or history reaches a foreign row, and each finds its own literal",
      () =>
        Effect.gen(function*() {
          const { admin, ada, bob, other } = yield* Tokens
          const namespace = freshNamespace()
          yield* ok(MemorySet, { namespace, memory_key: "u/secret", value: "SENTINEL-ADA" }, { token: ada })
          yield* ok(MemorySet, { namespace, memory_key: "u/secret", value: "SENTINEL-GLOBEX" }, { token: other })
          yield* ok(MemorySet, { namespace: `${namespace}-2`, memory_key: "u/secret", value: "SENTINEL-NEXT" }, {
            token: admin
          })
          const probes: ReadonlyArray<readonly [string, (text: string) => object]> = [
            ...["agent", "user_id", "session_id", "run_id", "prefix", "contains", "source_trace"].map((field) =>
              ["memory.list", (text: string) => ({ namespace, [field]: text })] as const
            ),
            ...["tags", "tags_every", "entity_filter"].map((field) =>
              ["memory.list", (text: string) => ({ namespace, [field]: [text] })] as const
            ),
            ["memory.list", (text) => ({ namespace, cursor: text })],
            ["memory.list", (text) => ({ namespace, sort_by: text })],
            ["memory.list", (text) => ({ namespace, memory_type: text })],
            ["memory.list", (text) => ({ namespace, fields: [text] })],
            ["memory.list", (text) => ({ namespace: text })],
            ["memory.list", (text) => ({ namespace, org: text })],
            ["memory.get", (text) => ({ namespace, memory_key: text })],
            ["memory.get", (text) => ({ namespace, memory_key: "u/secret", user_id: text })],
            ["memory.get", (text) => ({ namespace, memory_key: "u/secret", if_version: text })],
            ["memory.get_by_id", (text) => ({ namespace, memory_id: text })],
            ["memory.history", (text) => ({ namespace, memory_key: text })],
            ["memory.history", (text) => ({ namespace, memory_id: text })],
            ["memory.history", (text) => ({ namespace, memory_key: "u/secret", before_version: text })]
          ]
          for (const text of hostile) {
            const replies = yield* Effect.forEach(
              probes,
              ([verb, body]) =>
                Effect.map(post(verb, body(text), { token: bob }), (reply) => ({ verb, reply, body: body(text) })),
              {
                concurrency: 8
              }
            )
            for (const { body, reply, verb } of replies) {
              const where = `${verb} ${JSON.stringify(body)}: ${reply.status} ${reply.text.slice(0, 200)}`
              assert.isTrue(reply.status === 200 || reply.status >= 400 && reply.status < 500, where)
              assert.notInclude(reply.text, "SENTINEL", where)
              if (reply.status !== 200) noServerText(reply.text)
            }
          }
        }),
      60_000
    )

    for (const field of ["tags", "run_id", "source_trace", "session_id", "agent", "user_id"] as const) {
      it.effect(`a row whose ${field} is the text itself is found by it, and no other`, () =>
        Effect.gen(function*() {
          const { writer: token } = yield* Tokens
          const namespace = freshNamespace()
          const labels = hostile.slice(0, 12)
          const valueOf = (text: string) => field === "tags" ? [text] : text
          yield* Effect.forEach(labels, (text, index) =>
            ok(
              MemorySet,
              { namespace, memory_key: `p/${index}`, value: `Row number ${index}`, [field]: valueOf(text) },
              { token }
            ), {
            concurrency: "unbounded"
          })
          for (const [index, text] of labels.entries()) {
            const found = yield* ok(MemoryList, { namespace, [field]: valueOf(text) }, { token })
            assert.deepStrictEqual(
              found.memories.map(({ memory_key }) => memory_key),
              [`p/${index}`],
              `${field} ${text}`
            )
          }
        }))
    }

    it.effect("prefix and contains know no wildcard", () =>
      Effect.gen(function*() {
        const { writer: token } = yield* Tokens
        const namespace = freshNamespace()
        yield* ok(MemorySet, { namespace, memory_key: "p/50%off", value: "Half price: 50% or 5_0" }, { token })
        yield* ok(MemorySet, { namespace, memory_key: "p/50xoff", value: "Half price: 50 percent or 5-0" }, { token })
        const keys = (filter: object) =>
          Effect.map(ok(MemoryList, { namespace, ...filter }, { token }), ({ memories }) =>
            memories.map((row) => row.memory_key))
        assert.deepStrictEqual(yield* keys({ prefix: "p/50%" }), ["p/50%off"])
        assert.deepStrictEqual(yield* keys({ prefix: "p/50_" }), [])
        assert.deepStrictEqual(yield* keys({ prefix: "%" }), [])
        assert.deepStrictEqual(yield* keys({ contains: "50%" }), ["p/50%off"])
        assert.deepStrictEqual(yield* keys({ contains: "5_0" }), ["p/50%off"])
        assert.deepStrictEqual(yield* keys({ contains: "Half%price" }), [])
        assert.sameMembers([...yield* keys({ contains: "HALF PRICE" })], ["p/50%off", "p/50xoff"])
      }))
  })

  describe("T17 names with unusual characters", () => {
    const taken = [
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "a:b",
      "c.d@e",
      "team_a",
      "50%",
      "o'neil",
      "x|y",
      "{z}",
      "n".repeat(200),
      "a b",
      "a\\b",
      "\"quoted\"",
      "back`tick",
      "a%2Fb",
      "?q=1&r=2",
      "zoë",
      "東京",
      "👩‍🚀".replace("\u200d", ""),
      "--",
      "null",
      "0",
      "__proto__",
      "{p:String}",
      "<b>"
    ]
    // Each of these is refused when it is written; a reader of it finds nothing or is refused as well.
    const refused = [
      " lead",
      "trail ",
      "tab\tin",
      "nul\u0000",
      "zero\u200bwidth",
      "bidi\u202e",
      "line\u2028",
      "e\u0301",
      "x".repeat(1000),
      "\ufeffbom"
    ]

    for (const field of ["agent", "session_id", "user_id", "namespace"] as const) {
      it.effect(`as ${field}: each finds its own row alone`, () =>
        Effect.gen(function*() {
          const { admin: token } = yield* Tokens
          const space = freshNamespace()
          const place = (name: string, index: number) =>
            field === "namespace"
              ? { namespace: `${space}${name}`, memory_key: "u/a" }
              : { namespace: space, [field]: name, memory_key: `u/${index % 3}` }
          yield* Effect.forEach(taken, (name, index) =>
            ok(MemorySet, { ...place(name, index), value: unrelated(index) }, { token }), {
            concurrency: 8
          })
          yield* Effect.forEach(taken, (name, index) =>
            Effect.gen(function*() {
              const got = yield* ok(MemoryGet, place(name, index), { token })
              assert.strictEqual(got.value, unrelated(index), name)
              const { memory_key: _, ...whole } = place(name, index)
              const list = yield* ok(MemoryList, whole, { token })
              assert.deepStrictEqual(
                list.memories.map(({ value }) =>
                  value
                ),
                [unrelated(index)],
                name
              )
              const id = yield* ok(MemoryGetById, { namespace: got.namespace, memory_id: got.memory_id }, { token })
              assert.strictEqual(id.value, got.value)
              assert.strictEqual((yield* ok(MemoryHistory, place(name, index), { token })).versions.length, 1)
            }), { concurrency: 8 })
          const pathLike = field === "namespace" ? ["*", "../x", "a/b", "..", ".", "a..b"] : []
          for (const name of [...refused, ...pathLike]) {
            const body = field === "namespace" ? { ...place(name, 0), namespace: name } : place(name, 0)
            const reply = yield* refusal("memory.set", { ...body, value: "x" }, { token })
            assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, JSON.stringify(name))
            assert.strictEqual(reply.detail["field"], field)
          }
        }), 60_000)
    }

    it.effect("as keys: each finds its own row alone", () =>
      Effect.gen(function*() {
        const { writer: token } = yield* Tokens
        const namespace = freshNamespace()
        const keys = [
          ...taken.map((name) => `k/${name}`),
          ...taken,
          "a/b",
          "a/b/c",
          "a:b/c.d@e",
          "...",
          "a/...",
          "a/.b"
        ]
        yield* Effect.forEach(
          keys,
          (memory_key, index) => ok(MemorySet, { namespace, memory_key, value: unrelated(index) }, { token }),
          { concurrency: 16 }
        )
        yield* Effect.forEach(keys, (memory_key, index) =>
          Effect.gen(function*() {
            assert.strictEqual(
              (yield* ok(MemoryGet, { namespace, memory_key }, { token })).value,
              unrelated(index)
            )
            const list = yield* ok(MemoryList, { namespace, prefix: memory_key, limit: 1000 }, { token })
            assert.include(list.memories.map((row) => row.memory_key), memory_key)
            assert.isTrue(list.memories.every((row) => row.memory_key?.startsWith(memory_key)))
          }), { concurrency: 8 })
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true }, { token })).total, keys.length)
      }), 60_000)
  })
})
