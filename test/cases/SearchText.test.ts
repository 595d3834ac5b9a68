/**
 * The search steps of the cases of text and filters, with the test embedder: T19, T21, T22, T26, T27, T29.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryBulkSet, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

const search = (namespace: string, query: string, fields: object = {}) =>
  ok(MemorySearch, { namespace, query, ...fields })

const keysOf = ({ results }: typeof MemorySearch.answer.Type) => results.map(({ memory_key }) => memory_key)

const find = (namespace: string, query: string, fields: object = {}) =>
  Effect.map(search(namespace, query, fields), keysOf)

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Search cases of text", (it) => {
  describe("T19: words of scripts without spaces, by words alone", () => {
    const rows: ReadonlyArray<readonly [key: string, value: string]> = [
      ["zh/1", "混合检索使用倒数排名融合"],
      ["zh/2", "今天天气很好"],
      ["ja/1", "東京タワーは赤い電波塔です"],
      ["ja/2", "猫はこたつで丸くなる"],
      ["ko/1", "서울의 지하철은 빠릅니다"],
      ["ko/2", "고양이가 잠을 잡니다"],
      ["ko/3", "비행장은 바다 옆에 있고 넓다"],
      ["ja/3", "パワーハラスメントの相談窓口"],
      ["th/1", "ภาษาไทยไม่มีช่องว่างระหว่างคำ"],
      ["th/2", "วันนี้อากาศดีมาก"],
      ["ar/1", "العَرَبِيَّة لُغَة جَمِيلَة"],
      ["ar/2", "القطة تنام في البيت"],
      ["he/1", "שָׁלוֹם עוֹלָם גָּדוֹל"],
      ["he/2", "החתול ישן בבית"]
    ]
    const asked: ReadonlyArray<readonly [query: string, found: ReadonlyArray<string>]> = [
      ["检索", ["zh/1"]],
      ["倒数排名", ["zh/1"]],
      ["天气", ["zh/2"]],
      ["多租户", []],
      ["電波塔", ["ja/1"]],
      ["東京タワー", ["ja/1"]],
      ["こたつ", ["ja/2"]],
      ["新幹線", []],
      ["지하철", ["ko/1"]],
      ["고양이", ["ko/2"]],
      ["비행기", []],
      ["비행기는 언제 오나요", []],
      ["비행장", ["ko/3"]],
      ["비행장이 어디 있나요", ["ko/3"]],
      ["고양시", []],
      ["고양이는 무엇을 하나요", ["ko/2"]],
      ["서울에서", ["ko/1"]],
      ["タワー", ["ja/1"]],
      ["シャワー", []],
      ["パワー", ["ja/3"]],
      ["ช่องว่าง", ["th/1"]],
      ["อากาศ", ["th/2"]],
      ["รถไฟ", []],
      ["العربية", ["ar/1"]],
      ["القطة", ["ar/2"]],
      ["طائرة", []],
      ["שלום", ["he/1"]],
      ["החתול", ["he/2"]],
      ["מטוס", []]
    ]
    it.effect("each question finds its row and no other", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(MemoryBulkSet, { namespace, items: rows.map(([memory_key, value]) => ({ memory_key, value })) })
        for (const [query, found] of asked) {
          assert.deepStrictEqual(yield* find(namespace, query, { legs: ["lexical"] }), found, query)
          if (found.length > 0) assert.deepStrictEqual((yield* find(namespace, query))[0], found[0], query)
        }
      }))
  })

  it.effect("T21: a blank question is refused or empty; a sign finds itself", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "t/dot", value: "." })
      yield* ok(MemorySet, { namespace, memory_key: "t/word", value: "word" })
      for (const query of ["", "  \t\n", "\u200b", "\u3000", "\u0000", "\ufeff"]) {
        const reply = yield* post("memory.search", { namespace, query })
        if (reply.status === 200) assert.include(reply.text, "\"results\":[]")
        else assert.strictEqual(reply.status, 422, reply.text)
      }
      for (const query of [".", "?", "the of and", "!!!", "🙂", "a"]) {
        assert.isAtMost((yield* search(namespace, query)).results.length, 2)
      }
      assert.strictEqual((yield* find(namespace, "."))[0], "t/dot")
    }))

  it.effect(
    "T22: phrases of a 300 kB value are found and traced to it, until a short value replaces it",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const key = { namespace, memory_key: "doc/manual" }
        const filler = (from: number) =>
          numbers(2_800).map((index) => `Line ${from + index} tells of ordinary things and little else.`).join(" ")
        const value = `The zanzibarite clause opens. ${filler(0)} The quixotry clause stands between. ${
          filler(5_000)
        } The ultramarine clause closes.`
        assert.isAbove(value.length, 280_000)
        yield* ok(MemorySet, { ...key, value })
        yield* ok(MemorySet, { namespace, memory_key: "doc/other", value: "A clause of another document" })
        for (const word of ["zanzibarite", "quixotry", "ultramarine"]) {
          const found = yield* search(namespace, `the ${word} clause`)
          assert.strictEqual(found.results[0]?.memory_key, "doc/manual", word)
          assert.include(found.results[0]?.content_excerpt ?? "", word)
          const hit = found.results[0]
          if (hit?.chunk_start !== null && hit?.chunk_start !== undefined) {
            assert.include(value.slice(hit.chunk_start, hit.chunk_end ?? undefined), word)
            assert.strictEqual(hit.parent_memory_key, "doc/manual")
          }
          assert.strictEqual(found.results.filter((row) => row.memory_key === "doc/manual").length, 1)
        }
        yield* ok(MemorySet, { ...key, value: "short" })
        for (const word of ["zanzibarite", "quixotry", "ultramarine"]) {
          for (const leg of ["lexical", "chunks"]) {
            assert.deepStrictEqual(yield* find(namespace, word, { legs: [leg] }), [])
          }
        }
      }),
    60_000
  )

  it.effect("T26: a word is found in its other forms, by words alone, with finite scores", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const rows = [
        ["fr", "Mira is studying French"],
        ["box", "The boxes were carried upstairs"],
        ["ran", "He ran the marathon twice"],
        ["deploy", "We deployed the service on Friday"],
        ["child", "Her children play chess"]
      ] as const
      yield* ok(MemoryBulkSet, { namespace, items: rows.map(([key, value]) => ({ memory_key: `t/${key}`, value })) })
      for (
        const [query, key] of [
          ["studies", "fr"],
          ["studied", "fr"],
          ["study", "fr"],
          ["STUDYING", "fr"],
          ["box", "box"],
          ["carry", "box"],
          ["run", "ran"],
          ["running", "ran"],
          ["deployment", "deploy"],
          ["deploys", "deploy"],
          ["child", "child"]
        ] as const
      ) {
        const found = yield* search(namespace, query, { legs: ["lexical"], explain: true })
        assert.deepStrictEqual(keysOf(found), [`t/${key}`], query)
        for (const hit of found.results) {
          assert.isTrue(
            [hit.score, hit.rank_score, ...Object.values(hit.score_components ?? {})].every(Number.isFinite)
          )
        }
      }
    }))

  it.effect("T27: filters are exact sets; wrong kinds and unknown fields are named", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      for (
        const [name, tags, confidence, memory_type] of [
          ["a", ["a"], 0.2, "semantic"],
          ["ab", ["a", "b"], 0.5, "preference"],
          ["none", [], 0.9, "semantic"],
          ["upper", ["A"], 1, "decision"]
        ] as const
      ) {
        yield* ok(MemorySet, {
          namespace,
          memory_key: `t/${name}`,
          value: `The barn row ${name}`,
          tags,
          confidence,
          memory_type
        })
      }
      for (
        const [filter, found] of [
          [{}, ["a", "ab", "none", "upper"]],
          [{ tags: ["a"] }, ["a", "ab"]],
          [{ tags: ["A"] }, ["upper"]],
          [{ tags: ["a", "A"] }, ["a", "ab", "upper"]],
          [{ tags: ["zzz"] }, []],
          [{ tags_every: ["a", "b"] }, ["ab"]],
          [{ tags_none: ["a"] }, ["none", "upper"]],
          [{ tags_none: ["b"] }, ["a", "none", "upper"]],
          [{ tags: ["a"], tags_none: ["b"] }, ["a"]],
          [{ tags_none: ["a", "A"] }, ["none"]],
          [{ tags: [], tags_every: [], tags_none: [], exclude_keys: [], entity_filter: [], session_ids: [] }, [
            "a",
            "ab",
            "none",
            "upper"
          ]],
          [{ confidence_gte: 0.5 }, ["ab", "none", "upper"]],
          [{ confidence_gte: 0 }, ["a", "ab", "none", "upper"]],
          [{ confidence_gte: 1 }, ["upper"]],
          [{ memory_type: "preference" }, ["ab"]],
          [{ memory_type: "none.such" }, []],
          [{ created_after: "2299-01-01" }, []],
          [{ created_before: "2020-01-01" }, []],
          [{ created_after: "2020-01-01", created_before: "2299-01-01" }, ["a", "ab", "none", "upper"]],
          [{ exclude_keys: ["t/a", "t/ab"] }, ["none", "upper"]]
        ] as const
      ) {
        const keys = yield* find(namespace, "the barn row", filter)
        assert.deepStrictEqual(keys.map((key) => key.slice(2)).sort(), [...found], JSON.stringify(filter))
      }
      for (
        const [field, value] of [
          ["confidence_gte", "0.5"],
          ["confidence_gte", 2],
          ["top_k", "5"],
          ["top_k", 0],
          ["top_k", 1.5],
          ["tags", "a"],
          ["tags", null],
          ["memory_type", 5],
          ["legs", ["nope"]],
          ["created_after", "2026-02-30"],
          ["created_before", 5],
          ["query", 5],
          ["query", null],
          ["query", ["x"]]
        ] as const
      ) {
        const reply = yield* refusal("memory.search", { namespace, query: "barn", [field]: value })
        assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, `${field} ${JSON.stringify(value)}`)
        assert.match(String(reply.detail["field"]), new RegExp(`^${field}`))
      }
      for (const field of ["tag", "filter", "where", "Query", "confidence"]) {
        const reply = yield* refusal("memory.search", { namespace, query: "barn", [field]: "x" })
        assert.deepInclude(reply, { status: 422, code: "UNKNOWN_FIELD" })
        assert.strictEqual(reply.detail["field"], field)
      }
    }))

  it.effect("T29: the forms of one named thing are one, and a part of it is another", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const forms = ["Billing Services", "billing service", "the billing-service's", "BILLING_SERVICE"]
      yield* Effect.forEach([...forms, "billing"], (entity, index) =>
        ok(MemorySet, {
          namespace,
          memory_key: `t/${index}`,
          value: `The barn row number ${index}`,
          entities: [entity]
        }))
      const four = ["t/0", "t/1", "t/2", "t/3"]
      for (const form of forms) {
        assert.deepStrictEqual((yield* find(namespace, "the barn row", { entity_filter: [form] })).sort(), four, form)
        const list = yield* ok(MemoryList, { namespace, entity_filter: [form] })
        assert.deepStrictEqual(
          list.memories.map((row) => row.memory_key).sort(),
          four,
          form
        )
      }
      assert.deepStrictEqual(yield* find(namespace, "the barn row", { entity_filter: ["Billing"] }), ["t/4"])
      yield* ok(MemorySet, { namespace, memory_key: "t/apple-1", value: "Apple opened an office", entities: ["Apple"] })
      const fruit = yield* ok(MemorySet, {
        namespace,
        memory_key: "t/apple-2",
        value: "An apple is in the bowl",
        entities: ["apple"]
      })
      assert.deepInclude(fruit, { merged_into_key: null, duplicate_of: null })
    }))
})
