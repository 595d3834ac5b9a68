/**
 * Cases of keys, lists and times over HTTP: T23 (keys that look alike), T27 and T28 (filters and pages of a list), T35 b
 * (times with and without an offset).
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TokenMint } from "../../src/access/TokenVerbs.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { answerOf, freshNamespace, ok, post, refusal, refusedBy } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Listing cases", (it) => {
  describe("T23 keys that look alike", () => {
    it.effect("are two memories or refused, never one over the other", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const keys = [
          "notes/caf\u00e9",
          "notes/cafe\u0301",
          "notes/Alpha",
          "notes/alpha",
          "notes/ALPHA",
          "notes/alpha ",
          " notes/alpha",
          "notes/alpha\u00a0",
          "notes//alpha",
          "/notes/alpha",
          "notes/alpha/",
          "notes/./alpha",
          "notes/x/../alpha",
          "notes/..",
          "notes/\u0430lpha",
          "notes/ａlpha",
          "notes/stra\u00dfe",
          "notes/strasse",
          "notes/\u212b",
          "notes/\u00c5",
          "notes/\ufb01x",
          "notes/fix",
          "notes/al\u00adpha",
          "notes/al\u200bpha",
          "notes\\alpha",
          "notes%2Falpha",
          "notes/alpha\u0000"
        ]
        const taken: Array<string> = []
        for (const [index, memory_key] of keys.entries()) {
          const reply = yield* post("memory.set", { namespace, memory_key, value: `The text of number ${index}` })
          if (reply.status === 200) {
            taken.push(memory_key)
            assert.isNull(answerOf(MemorySet, reply).merged_into_key)
            continue
          }
          assert.deepInclude(refusedBy("memory.set", reply), { status: 422, code: "INVALID_ARGUMENT" })
          const bulk = yield* ok(MemoryBulkSet, { namespace, items: [{ memory_key, value: "x" }] })
          assert.strictEqual(bulk.refused, 1, JSON.stringify(memory_key))
        }
        assert.includeMembers(taken, [
          "notes/caf\u00e9",
          "notes/Alpha",
          "notes/alpha",
          "notes/ALPHA",
          "notes/stra\u00dfe",
          "notes/strasse"
        ])
        assert.notIncludeMembers(taken, ["notes/alpha ", "notes//alpha", "notes/x/../alpha"])
        for (const memory_key of taken) {
          const got = yield* ok(MemoryGet, { namespace, memory_key })
          assert.strictEqual(got.value, `The text of number ${keys.indexOf(memory_key)}`)
          assert.strictEqual(got.memory_key, memory_key)
        }
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, taken.length)
      }))
  })

  describe("T27 filters of a list", () => {
    it.effect("tags: any of them in any case, every one of them exactly, and an empty list is no filter", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const [name, tags] of [["a", ["a"]], ["ab", ["a", "b"]], ["none", []], ["upper", ["A"]]] as const) {
          yield* ok(MemorySet, { namespace, memory_key: `t/${name}`, value: `Row ${name}`, tags })
        }
        const keys = (filter: object) =>
          Effect.map(ok(MemoryList, { namespace, ...filter }), ({ memories, total }) => {
            assert.strictEqual(total, memories.length)
            return memories.map((row) => row.memory_key?.slice(2) ?? "").sort()
          })
        assert.deepStrictEqual(yield* keys({ tags: ["a"] }), ["a", "ab", "upper"])
        assert.deepStrictEqual(yield* keys({ tags: ["B", "zzz"] }), ["ab"])
        assert.deepStrictEqual(yield* keys({ tags_every: ["a"] }), ["a", "ab"])
        assert.deepStrictEqual(yield* keys({ tags_every: ["b", "a"] }), ["ab"])
        assert.deepStrictEqual(yield* keys({ tags_every: ["a", "c"] }), [])
        assert.deepStrictEqual(yield* keys({ tags: ["b"], tags_every: ["a"] }), ["ab"])
        assert.deepStrictEqual(yield* keys({ tags: [] }), ["a", "ab", "none", "upper"])
        assert.deepStrictEqual(yield* keys({ tags_every: [], entity_filter: [] }), ["a", "ab", "none", "upper"])
      }))

    it.effect("types, pins, runs and sources select exactly; wrong kinds and unknown fields are named", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(MemorySet, {
          namespace,
          memory_key: "t/1",
          value: "one",
          memory_type: "preference",
          pinned: true,
          run_id: "r1"
        })
        yield* ok(MemorySet, {
          namespace,
          memory_key: "t/2",
          value: "two",
          source_trace: "chat 1",
          agent: "a",
          session_id: "s"
        })
        const keys = (filter: object) =>
          Effect.map(
            ok(MemoryList, { namespace, ...filter }),
            ({ memories }) => memories.map((row) => row.memory_key).sort()
          )
        for (
          const [filter, found] of [
            [{ memory_type: "preference" }, ["t/1"]],
            [{ memory_type: "no.such.type" }, []],
            [{ pinned_only: true }, ["t/1"]],
            [{ pinned_only: false }, ["t/1", "t/2"]],
            [{ run_id: "r1" }, ["t/1"]],
            [{ run_id: "" }, ["t/2"]],
            [{ source_trace: "chat 1" }, ["t/2"]],
            [{ source_trace: "chat" }, []],
            [{ agent: "a" }, ["t/2"]],
            [{ agent: "" }, ["t/1"]],
            [{ session_id: "s" }, ["t/2"]],
            [{ user_id: "" }, ["t/1", "t/2"]],
            [{ user_id: "-" }, ["t/1", "t/2"]],
            [{ user_id: "ada" }, []],
            [{ conflicted_only: true }, []]
          ] as const
        ) {
          assert.deepStrictEqual(yield* keys(filter), [...found], JSON.stringify(filter))
        }
        for (
          const [field, value] of [
            ["limit", "20"],
            ["limit", 0],
            ["limit", 1.5],
            ["limit", -1],
            ["offset", "1"],
            ["pinned_only", "true"],
            ["pinned_only", 1],
            ["tags", "a"],
            ["tags", { a: 1 }],
            ["tags", [1]],
            ["tags", null],
            ["memory_type", 5],
            ["memory_type", ""],
            ["sort_by", "value"],
            ["fields", ["value", "nope"]],
            ["cursor", "nonsense"]
          ] as const
        ) {
          const reply = yield* refusal("memory.list", { namespace, [field]: value })
          assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, `${field} ${JSON.stringify(value)}`)
          assert.match(String(reply.detail["field"]), new RegExp(`^${field}`))
        }
        for (const field of ["tag", "Tags", "tags_any", "confidence_gte", "where", "tags "]) {
          const reply = yield* refusal("memory.list", { namespace, [field]: ["a"] })
          assert.deepInclude(reply, { status: 422, code: "UNKNOWN_FIELD" })
          assert.strictEqual(reply.detail["field"], field)
        }
      }))
  })

  describe("T28 pages of a list", () => {
    for (const sort_by of ["created_at", "updated_at", "memory_key"] as const) {
      for (const filter of [{}, { tags: ["kept"] }]) {
        it.effect(`45 rows by ${sort_by}${"tags" in filter ? " of one tag" : ""}: each stable row once while rows come and go`, () =>
          Effect.gen(function*() {
            const namespace = freshNamespace()
            // The rows contradict each other; a row's contradiction that goes with its other side is an update of it.
            yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "append_only" })
            yield* ok(MemoryBulkSet, {
              namespace,
              items: numbers(45).map((index) => ({
                memory_key: `p/${String(index).padStart(3, "0")}`,
                value: `Row number ${index}`,
                tags: ["kept"]
              }))
            })
            const seen: Array<string> = []
            const totals: Array<number> = []
            let cursor: string | null = null
            let page = 0
            do {
              const answer: typeof MemoryList.answer.Type = yield* ok(MemoryList, {
                namespace,
                limit: 20,
                sort_by,
                ...filter,
                ...(cursor === null ? {} : { cursor })
              })
              seen.push(...answer.memories.map((row) => row.memory_key ?? ""))
              totals.push(answer.total)
              cursor = answer.next_cursor
              // One that was seen and one that was not go, and new ones come in front, behind and between.
              if (++page === 1) {
                const unseen = numbers(45).map((index) => `p/${String(index).padStart(3, "0")}`).find((key) =>
                  !seen.includes(key)
                )
                yield* ok(MemoryDelete, { namespace, memory_key: seen[3] })
                yield* ok(MemoryDelete, { namespace, memory_key: unseen })
                for (const key of ["a/new", "p/0155", "z/new"]) {
                  yield* ok(MemorySet, { namespace, memory_key: key, value: `A new row ${key}`, tags: ["kept"] })
                }
              }
            } while (cursor !== null && page < 10)
            assert.strictEqual(new Set(seen).size, seen.length, "a row came twice")
            const stable = numbers(45).map((index) => `p/${String(index).padStart(3, "0")}`)
            const missing = stable.filter((key) => !seen.includes(key))
            assert.strictEqual(missing.length, 1, `only the row deleted unseen may be missing, not ${missing.join()}`)
            assert.deepStrictEqual(totals.slice(0, 2), [45, 46])
          }))
      }
    }

    it.effect("a cursor belongs to its filter and order; pages by offset add up as well", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(MemoryBulkSet, {
          namespace,
          items: numbers(45).map((index) => ({
            memory_key: `p/${index}`,
            value: `Row number ${index}`,
            tags: ["kept"]
          }))
        })
        const first = yield* ok(MemoryList, { namespace, limit: 20 })
        const cursor = first.next_cursor
        for (
          const other of [{ tags: ["kept"] }, { sort_by: "memory_key" }, { prefix: "p" }, {
            namespace: `${namespace}-2`
          }, { offset: 1 }]
        ) {
          assert.strictEqual((yield* refusal("memory.list", { namespace, limit: 20, cursor, ...other })).status, 422)
        }
        const bound = yield* ok(TokenMint, {
          namespaces: [namespace],
          role: "read",
          kind: "service",
          subject: "reader"
        })
        const carried = yield* refusal("memory.list", { namespace, limit: 20, cursor }, { token: bound.token ?? "" })
        assert.deepStrictEqual([carried.code, carried.detail["field"]], ["INVALID_ARGUMENT", "cursor"])
        for (const text of [cursor?.replace(/.$/, "!"), cursor?.replace(/\..{5}/, ".AAAAA"), "x".repeat(17_000)]) {
          const { code } = yield* refusal("memory.list", { namespace, limit: 20, cursor: text })
          assert.strictEqual(code, "INVALID_ARGUMENT")
        }
        const next = yield* ok(MemoryList, { namespace, limit: 40, cursor })
        assert.strictEqual(next.memories.length, 25)
        const pages = yield* Effect.forEach(
          [0, 20, 40, 60],
          (offset) => ok(MemoryList, { namespace, limit: 20, offset })
        )
        assert.deepStrictEqual(pages.map(({ memories }) => memories.length), [20, 20, 5, 0])
        assert.strictEqual(new Set(pages.flatMap(({ memories }) => memories.map((row) => row.memory_key))).size, 45)
      }))
  })

  describe("T35 b times", () => {
    const readings: ReadonlyArray<readonly [given: string, stored: string]> = [
      ["2026-03-01T09:00:00", "2026-03-01T09:00:00.000Z"],
      ["2026-03-01T09:00:00Z", "2026-03-01T09:00:00.000Z"],
      ["2026-03-01T09:00:00+05:30", "2026-03-01T03:30:00.000Z"],
      ["2026-03-01T09:00:00-08:00", "2026-03-01T17:00:00.000Z"],
      ["2026-03-01", "2026-03-01T00:00:00.000Z"],
      ["2026-03-01T09:00", "2026-03-01T09:00:00.000Z"],
      ["2024-02-29", "2024-02-29T00:00:00.000Z"],
      ["1900-01-01", "1900-01-01T00:00:00.000Z"],
      ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
      ["2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00.000Z"]
    ]
    const impossible = [
      "2026-02-30",
      "2025-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-03-01T24:00:00Z",
      "2026-03-01T09:60:00Z",
      "2026-03-01T09:00:60Z",
      "2026-03-01T09:00:00+25:00",
      "0000-01-01",
      "9999-12-31",
      "1700-01-01",
      "yesterday",
      "",
      "1772355600",
      "2026-3-1",
      "2026-03-01T09:00:00 PST",
      "2026-W10",
      "NaN",
      "' OR 1=1"
    ]

    it.effect("one rule for every verb: without an offset it is UTC, and the answer says so", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* Effect.forEach(readings, ([valid_at, stored], index) =>
          Effect.gen(function*() {
            const naive = !/(Z|[+-]\d\d:\d\d)$/.test(valid_at)
            const set = yield* ok(MemorySet, {
              namespace,
              memory_key: `t/${index}`,
              value: `Number ${index}`,
              valid_at
            })
            const said = (advisories: ReadonlyArray<string> | undefined) =>
              advisories?.some((note) => note.includes("UTC"))
            assert.strictEqual(said(set.advisories), naive, valid_at)
            assert.strictEqual(
              (yield* ok(MemoryGet, { namespace, memory_key: `t/${index}` })).valid_at,
              stored,
              valid_at
            )
            const updated = yield* ok(MemoryUpdate, { namespace, memory_key: `t/${index}`, valid_at })
            assert.strictEqual(said(updated.advisories), naive, valid_at)
            const bulk = yield* ok(MemoryBulkSet, {
              namespace,
              items: [{ memory_key: `b/${index}`, value: `Bulk ${index}`, valid_at }]
            })
            assert.strictEqual(said(bulk.results[0]?.answer?.advisories), naive, valid_at)
            assert.strictEqual(
              (yield* ok(MemoryGet, { namespace, memory_key: `b/${index}` })).valid_at,
              stored,
              valid_at
            )
          }), { concurrency: 4 })
      }))

    it.effect("a time that does not exist is a 422 that names the field", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(MemorySet, { namespace, memory_key: "t/1", value: "one" })
        for (const time of [...impossible, 1772355600, true, {}, ["2026-03-01"]]) {
          for (const field of ["valid_at", "valid_to"]) {
            for (const verb of ["memory.set", "memory.update"]) {
              const reply = yield* refusal(verb, { namespace, memory_key: "t/1", value: "two", [field]: time })
              assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, JSON.stringify(time))
              assert.match(String(reply.detail["field"]), new RegExp(`^${field}`))
            }
            const bulk = yield* ok(MemoryBulkSet, {
              namespace,
              items: [{ memory_key: "t/2", value: "two", [field]: time }]
            })
            assert.strictEqual(bulk.refused, 1, JSON.stringify(time))
          }
        }
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 1)
      }))

    it.effect("an end before the beginning is refused; an end in the past is not served; the order of versions is by writing", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const key = { namespace, memory_key: "t/1" }
        const backwards = { valid_at: "2026-03-01T09:00:00+05:30", valid_to: "2026-03-01T03:00:00Z" }
        assert.strictEqual((yield* refusal("memory.set", { ...key, value: "x", ...backwards })).status, 422)
        yield* ok(MemorySet, { ...key, value: "late", valid_at: "2026-06-01" })
        yield* ok(MemorySet, { ...key, value: "early", valid_at: "2020-06-01" })
        const { versions } = yield* ok(MemoryHistory, key)
        assert.deepStrictEqual(versions.map(({ value }) => value), ["early", "late"])
        assert.isTrue(BigInt(versions[0]?.version_text ?? 0) > BigInt(versions[1]?.version_text ?? 0))
        yield* ok(MemorySet, { namespace, memory_key: "t/2", value: "over", valid_to: "2020-06-01" })
        assert.isFalse((yield* ok(MemoryGet, { namespace, memory_key: "t/2" })).found)
      }))
  })
})
