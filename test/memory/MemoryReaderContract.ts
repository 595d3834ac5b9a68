/**
 * What every `MemoryReader` promises of lists: which rows a filter lets through, literally, and that pages neither
 * repeat nor skip a row that stays, whatever is written between two of them.
 */
import { assert, describe } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { Keyset, ListFilter, NamedThingPage, SortBy } from "../../src/memory/MemoryReader.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { commitOf, everything, firstPage, freshScope, noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const listed = (scope: Scope, filter: Partial<ListFilter>) =>
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const asked = { ...everything, ...filter }
    const rows = yield* reader.list(scope, asked, { ...firstPage, sort_by: "memory_key" })
    assert.strictEqual(yield* reader.count(scope, asked), rows.length)
    return rows.map(({ memory_key }) => memory_key)
  })

const put = (scope: Scope, rows: Record<string, Partial<MemoryRow>>) =>
  Effect.flatMap(MemoryStore, (store) =>
    store.commit(commitOf(
      Object.entries(rows).map(([memory_key, changed], index) =>
        rowOf(scope, { memory_key, version: versionAt(noon + index), created_at: noon + index, ...changed })
      )
    )))

const keysetOf = (sortBy: SortBy, row: MemoryRow): Keyset => ({
  value: String(row[sortBy]),
  memory_id: row.memory_id
})

const pages = (scope: Scope, sort_by: SortBy, limit: number, between: (page: number) => Effect.Effect<void>) =>
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const seen: Array<string> = []
    let after: Keyset | null = null
    for (let page = 0; page < 50; page++) {
      const rows: ReadonlyArray<MemoryRow> = yield* reader.list(scope, everything, { sort_by, after, limit, offset: 0 })
      seen.push(...rows.map(({ memory_key }) => memory_key))
      const last = rows.at(-1)
      if (last === undefined) return seen
      after = keysetOf(sort_by, last)
      yield* between(page)
    }
    return yield* Effect.dieMessage("the pages do not end")
  })

export const readerSuite = (it: Vitest.MethodsNonLive<MemoryStore | MemoryReader>): void => {
  describe("MemoryReader", () => {
    it.effect("filters by writer, run, type, source, pin and status", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(scope, {
          a: { agent: "one", user_id: "ada", session_id: "s", run_id: "r" },
          b: { memory_type: "preference", source_trace: "import/1", pinned: true },
          c: { status: "conflicted" },
          d: { status: "superseded" },
          e: { status: "tombstoned", user_id: "ada" }
        })
        assert.deepStrictEqual(yield* listed(scope, {}), ["a", "b", "c"])
        assert.deepStrictEqual(yield* listed(scope, { agent: "one" }), ["a"])
        assert.deepStrictEqual(yield* listed(scope, { agent: "" }), ["b", "c"])
        assert.deepStrictEqual(yield* listed(scope, { user_id: "ada" }), ["a"])
        assert.deepStrictEqual(yield* listed(scope, { session_id: "s", run_id: "r" }), ["a"])
        assert.deepStrictEqual(yield* listed(scope, { run_id: "other" }), [])
        assert.deepStrictEqual(yield* listed(scope, { memory_type: "preference" }), ["b"])
        assert.deepStrictEqual(yield* listed(scope, { source_trace: "import/1" }), ["b"])
        assert.deepStrictEqual(yield* listed(scope, { source_trace: "import/" }), [])
        assert.deepStrictEqual(yield* listed(scope, { pinned_only: true }), ["b"])
        assert.deepStrictEqual(yield* listed(scope, { statuses: ["superseded", "tombstoned"] }), ["d", "e"])
        assert.deepStrictEqual(yield* listed(scope, { statuses: [] }), [])
        assert.deepStrictEqual(yield* listed(freshScope(), {}), [])
      }))

    it.effect("takes text literally: no wildcard, quote or case rule of a pattern language", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(scope, {
          "p%a": { value: "100% sure" },
          "pXa": { value: "100 PER cent" },
          "p_b": { value: "snake_case it's \\ back" },
          "pYb": { value: "snakeXcase" },
          "\u00e9t\u00e9": { value: "\u00c9T\u00c9 in Lyon" }
        })
        assert.deepStrictEqual(yield* listed(scope, { prefix: "p%" }), ["p%a"])
        assert.deepStrictEqual(yield* listed(scope, { prefix: "p_" }), ["p_b"])
        assert.deepStrictEqual(yield* listed(scope, { prefix: "P" }), [])
        assert.deepStrictEqual(yield* listed(scope, { prefix: "\u00e9" }), ["\u00e9t\u00e9"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "100%" }), ["p%a"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "E_C" }), ["p_b"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "it's \\" }), ["p_b"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "per CENT" }), ["pXa"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "\u00e9t\u00e9" }), ["\u00e9t\u00e9"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "' OR 1 --" }), [])
      }))

    it.effect("takes any of the tags in any case, every tag exactly, and every entity", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(scope, {
          a: { tags: ["Case:1", "\u00dcBER"], entities: ["ada", "grace"] },
          b: { tags: ["case:2"], entities: ["ada"] },
          c: {}
        })
        assert.deepStrictEqual(yield* listed(scope, { tags: ["CASE:1", "none"] }), ["a"])
        assert.deepStrictEqual(yield* listed(scope, { tags: ["\u00fcber", "CASE:2"] }), ["a", "b"])
        assert.deepStrictEqual(yield* listed(scope, { tags: ["case"] }), [])
        assert.deepStrictEqual(yield* listed(scope, { tags_every: ["Case:1", "\u00dcBER"] }), ["a"])
        assert.deepStrictEqual(yield* listed(scope, { tags_every: ["case:1"] }), [])
        assert.deepStrictEqual(yield* listed(scope, { entities: ["ada"] }), ["a", "b"])
        assert.deepStrictEqual(yield* listed(scope, { entities: ["ada", "grace"] }), ["a"])
      }))

    it.effect("leaves out rows that ended at or before the time given", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(scope, {
          a: { expires_at: noon },
          b: { expires_at: noon + 1 },
          c: { valid_to: noon },
          d: { valid_to: noon + 1, expires_at: noon + 2 },
          e: {}
        })
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: noon }), ["b", "d", "e"])
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: null }), ["a", "b", "c", "d", "e"])
      }))

    it.effect("sorts times newest first and keys by their bytes, and breaks ties by id", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        // By UTF-16 units the emoji would come before U+FF5E.
        const keys = ["a", "Z", "\u{1f9f5}", "\uff5e", "b"]
        yield* put(scope, Object.fromEntries(keys.map((key) => [key, { created_at: noon, updated_at: noon }])))
        const byKey = yield* reader.list(scope, everything, { ...firstPage, sort_by: "memory_key" })
        assert.deepStrictEqual(byKey.map(({ memory_key }) => memory_key), ["Z", "a", "b", "\uff5e", "\u{1f9f5}"])
        const byTime = yield* reader.list(scope, everything, { ...firstPage, sort_by: "created_at" })
        const ids = byTime.map(({ memory_id }) => memory_id)
        assert.deepStrictEqual(ids, [...ids].sort().reverse())
        const middle = yield* reader.list(scope, everything, {
          ...firstPage,
          sort_by: "memory_key",
          limit: 2,
          offset: 1
        })
        assert.deepStrictEqual(middle.map(({ memory_key }) => memory_key), ["a", "b"])
        const rest = yield* reader.list(scope, everything, {
          sort_by: "memory_key",
          after: { value: "a", memory_id: byKey[1]?.memory_id ?? "" },
          limit: 9,
          offset: 1
        })
        assert.deepStrictEqual(rest.map(({ memory_key }) => memory_key), ["\uff5e", "\u{1f9f5}"])
      }))

    for (const sortBy of ["created_at", "updated_at", "memory_key"] as const) {
      it.effect(`pages by ${sortBy} show each row that stays once, under inserts and deletes between pages`, () =>
        Effect.gen(function*() {
          const store = yield* MemoryStore
          const scope = freshScope()
          // Three rows share each time, so that a page often ends within a tie.
          const rows = Array.from({ length: 30 }, (_, index) => {
            const time = noon + Math.floor(index / 3)
            return rowOf(scope, {
              memory_key: `k${String(index).padStart(2, "0")}`,
              version: versionAt(noon + index),
              created_at: time,
              updated_at: time
            })
          })
          yield* store.commit(commitOf(rows))
          const deleted = new Set<string>()
          const seen = yield* pages(scope, sortBy, 4, (page) => {
            const gone = rows[page * 4]
            const fresh = rowOf(scope, {
              memory_key: `k${String(page).padStart(2, "0")}-new`,
              version: versionAt(noon + 1_000 + page),
              created_at: noon + page,
              updated_at: noon + page
            })
            if (gone !== undefined) deleted.add(gone.memory_key)
            const tombstones = gone === undefined ? [] : [revised(gone, 2_000 + page, {
              status: "tombstoned",
              updated_at: gone.updated_at
            })]
            return Effect.orDie(store.commit(commitOf([fresh, ...tombstones])))
          })
          assert.strictEqual(new Set(seen).size, seen.length)
          const missing = rows.filter(({ memory_key }) => !deleted.has(memory_key) && !seen.includes(memory_key))
          assert.deepStrictEqual(missing, [])
        }))
    }

    it.effect("reads by key and id stay within the writer asked for", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const reader = yield* MemoryReader
        const scope = freshScope()
        const writers = ["one", "two"].flatMap((agent) =>
          ["ada", "grace"].flatMap((user_id) => ["", "s"].map((session_id) => ({ agent, user_id, session_id })))
        )
        const rows = writers.map((writer, index) => rowOf(scope, { ...writer, version: versionAt(noon + index) }))
        yield* store.commit(commitOf(rows))
        const key = rows[0]?.memory_key ?? ""
        const found = (writer: Partial<typeof anyWriter>) =>
          Effect.map(reader.byKey(scope, key, { ...anyWriter, ...writer }), (heads) =>
            heads.map(({ version }) => version))
        const expected = (condition: (row: MemoryRow) => boolean) =>
          rows.filter(condition).map(({ version }) =>
            version
          ).reverse()
        assert.deepStrictEqual(yield* found({}), expected(() => true))
        assert.deepStrictEqual(yield* found({ agent: "one" }), expected(({ agent }) => agent === "one"))
        assert.deepStrictEqual(yield* found({ user_id: "ada" }), expected(({ user_id }) => user_id === "ada"))
        assert.deepStrictEqual(yield* found({ session_id: "" }), expected(({ session_id }) => session_id === ""))
        for (const row of rows) {
          assert.deepStrictEqual(yield* reader.byKey(scope, key, row), [row])
          assert.deepStrictEqual(yield* reader.byId(scope, row.memory_id, row), [row])
          assert.deepStrictEqual(yield* reader.byId(scope, row.memory_id, { ...anyWriter, agent: "three" }), [])
        }
      }))

    it.effect("counts what served memories name: of the writers asked for, by prefix, in pages", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        yield* put(scope, {
          a: { entities: ["oslo", "ada", "ada"], user_id: "ada" },
          b: { entities: ["ada", "zoë", "汉字"], agent: "one" },
          c: { entities: ["ada lovelace"], status: "conflicted", session_id: "s" },
          gone: { entities: ["ada", "hera"], status: "tombstoned" },
          old: { entities: ["ada", "hera"], status: "superseded" },
          over: { entities: ["ada", "hera"], expires_at: noon },
          untrue: { entities: ["ada", "hera"], valid_to: noon },
          later: { entities: ["oslo"], expires_at: noon + 1, valid_to: noon + 1 },
          secret: { entities: ["hera"], sensitivity: "high" }
        })
        yield* put(freshScope(), { a: { entities: ["ada"] } })
        const named = (writer: Partial<typeof anyWriter>, page: Partial<NamedThingPage> = {}) =>
          Effect.map(
            reader.namedThings(
              scope,
              { ...anyWriter, ...writer },
              { prefix: "", after: null, limit: 10, ...page },
              noon
            ),
            (found) => found.map(({ entity, memories }) => [entity, memories])
          )
        assert.deepStrictEqual(yield* named({}), [
          ["ada", 2],
          ["ada lovelace", 1],
          ["oslo", 2],
          ["zoë", 1],
          ["汉字", 1]
        ])
        assert.deepStrictEqual(yield* named({ user_id: "ada" }), [["ada", 1], ["oslo", 1]])
        assert.deepStrictEqual(yield* named({ agent: "one", user_id: "ada" }), [])
        assert.deepStrictEqual(yield* named({ session_id: "s" }), [["ada lovelace", 1]])
        assert.deepStrictEqual(yield* named({}, { prefix: "ada" }), [["ada", 2], ["ada lovelace", 1]])
        assert.deepStrictEqual(yield* named({}, { prefix: "%" }), [])
        assert.deepStrictEqual(yield* named({}, { after: "ada", limit: 2 }), [["ada lovelace", 1], ["oslo", 2]])
        assert.deepStrictEqual(yield* named({}, { after: "zoë" }), [["汉字", 1]])
      }))

    it.effect("lists what ran out by whether it is asked for, whether or not that was written down", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(scope, {
          served: {},
          over: { expires_at: noon },
          expired: { expires_at: noon, status: "tombstoned", change: "expire" },
          deleted: { status: "tombstoned", change: "delete" }
        })
        const out = [...everything.statuses, "tombstoned"] as const
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: noon, expired: false }), ["served"])
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: noon, expired: false, statuses: out }), [
          "deleted",
          "served"
        ])
        assert.deepStrictEqual(yield* listed(scope, { expired: true }), ["expired", "over", "served"])
        assert.deepStrictEqual(yield* listed(scope, { expired: true, statuses: out }), [
          "deleted",
          "expired",
          "over",
          "served"
        ])
        assert.deepStrictEqual(yield* listed(scope, { statuses: ["tombstoned"] }), ["deleted", "expired"])
      }))
  })
}
