/**
 * Cases of text over HTTP, as far as they are about storing and reading: T19 and T20 (scripts and signs), T21 (blank
 * values), T22 (large values). Their steps that search are in `SearchText.test.ts`.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import {
  MemoryBulkSet,
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { answerOf, freshNamespace, ok, post, postRaw, refusal, refusedBy } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Text cases", (it) => {
  describe("T19, T20 every script and sign comes back byte for byte", () => {
    const texts: ReadonlyArray<readonly [what: string, text: string]> = [
      ["Chinese", "混合检索使用倒数排名融合"],
      ["Japanese", "今日は天気がいいから、散歩しましょう。ｶﾞｷﾞ"],
      ["Korean", "오늘 날씨가 좋네요"],
      ["Thai", "ภาษาไทยไม่มีช่องว่างระหว่างคำ"],
      ["Arabic with vowel signs", "العَرَبِيَّة مُشَكَّلَة ١٢٣"],
      ["Hebrew with points", "שָׁלוֹם עוֹלָם"],
      ["mixed directions", "\u200fabc \u202bשלום\u202c def\u200e"],
      ["a family with joiners", "👨‍👩‍👧‍👦 and 🏳️‍🌈 and 🇨🇭"],
      ["combining marks", "e\u0301 o\u0308 Z\u0351\u036b\u0343\u036a"],
      ["both Unicode forms", "caf\u00e9 cafe\u0301"],
      ["a byte order mark", "\ufeffstarts with a mark"],
      ["zero width", "zero\u200bwidth\u2060joiner"],
      [
        "every control character but NUL",
        Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join("x")
      ],
      ["line separators", "a\r\nb\rc\nd\u2028e\u2029f\u0085g"],
      ["quotes and backslashes", "\\ \\\\ \\n ' '' \" ` ${x} {p:String} %s %00"],
      ["noncharacters", "\ufffe \uffff \u{10ffff}"],
      ["the replacement character", "\ufffd"],
      ["white space around", "  \t padded \n "],
      ["tab separated", "a\tb\tN\\N\t\\N"]
    ]
    it.effect("by get, get_by_id, list, history and after an update", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* Effect.forEach(texts, ([what, text], index) =>
          Effect.gen(function*() {
            const memory_key = `t/${index}`
            const set = yield* ok(MemorySet, { namespace, memory_key, value: text })
            assert.strictEqual(set.content_sha256, sha256(text), what)
            const got = yield* ok(MemoryGet, { namespace, memory_key })
            assert.strictEqual(got.value, text, what)
            assert.strictEqual((yield* ok(MemoryGetById, { namespace, memory_id: set.memory_id })).value, text, what)
            assert.strictEqual(
              (yield* ok(MemoryList, { namespace, prefix: memory_key, sort_by: "memory_key", limit: 1 })).memories[0]
                ?.value,
              text,
              what
            )
            const wrapped = { text, list: [text, { [text]: text }] }
            yield* ok(MemoryUpdate, { namespace, memory_key, value: wrapped })
            assert.deepStrictEqual((yield* ok(MemoryGet, { namespace, memory_key })).value, wrapped, what)
            const { versions } = yield* ok(MemoryHistory, { namespace, memory_key })
            assert.deepStrictEqual(versions.map(({ value }) => value), [wrapped, text], what)
          }), { concurrency: 8 })
      }))

    it.effect("as tags and as entities too", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const tags = texts.map(([, text]) => text).filter((text) => !/\p{Cc}/u.test(text))
        yield* ok(MemorySet, { namespace, memory_key: "t/tags", value: "tagged", tags, entities: tags })
        assert.deepStrictEqual((yield* ok(MemoryGet, { namespace, memory_key: "t/tags" })).tags, tags)
        for (const tag of tags) {
          assert.strictEqual((yield* ok(MemoryList, { namespace, tags_every: [tag] })).total, 1, tag)
          assert.strictEqual((yield* ok(MemoryList, { namespace, entity_filter: [tag] })).total, 1, tag)
        }
      }))

    it.effect("a list finds a part of a text of any script", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* Effect.forEach(texts, ([, text], index) =>
          ok(MemorySet, { namespace, memory_key: `t/${index}`, value: text }))
        for (
          const [part, what] of [
            ["检索", "Chinese"],
            ["散歩", "Japanese"],
            ["ช่องว่าง", "Thai"],
            ["שָׁלוֹם", "Hebrew with points"],
            ["👨‍👩‍👧‍👦", "a family with joiners"]
          ] as const
        ) {
          const found = yield* ok(MemoryList, { namespace, contains: part })
          assert.deepStrictEqual(
            found.memories.map(({ value }) =>
              value
            ),
            [
              texts.find(([name]) => name === what)?.[1]
            ],
            what
          )
        }
        assert.strictEqual((yield* ok(MemoryList, { namespace, contains: "多租户" })).total, 0)
      }))
  })

  describe("T20 what has no form in UTF-8, and NUL", () => {
    const nul = "before\u0000after"
    const escapes = ["\\ud83d", "\\udc00", "x\\ud83dy", "\\udc00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\uD83D\\u0041"]

    it.effect("NUL is kept or refused, never cut", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (
          const [index, value] of [nul, "\u0000", "\u0000at the start", "at the end\u0000", { [nul]: nul }, [nul]]
            .entries()
        ) {
          const key = { namespace, memory_key: `t/${index}` }
          const reply = yield* post("memory.set", { ...key, value })
          if (reply.status === 200) assert.deepStrictEqual((yield* ok(MemoryGet, key)).value, value)
          else assert.strictEqual(refusedBy("memory.set", reply).status, 422)
        }
        const bulk = yield* ok(MemoryBulkSet, {
          namespace,
          items: numbers(5).map((index) => ({
            memory_key: `b/${index}`,
            value: index === 3 ? nul : `Item number ${index}`
          }))
        })
        for (const result of bulk.results) {
          const got = yield* ok(MemoryGet, { namespace, memory_key: `b/${result.index + 1}` })
          if (result.index !== 2) assert.strictEqual(got.value, `Item number ${result.index + 1}`)
          else if (result.outcome === "stored") assert.strictEqual(got.value, nul)
          else assert.isFalse(got.found)
        }
      }))

    for (const escape of escapes) {
      it.effect(`a lone surrogate ${escape} is a 422 wherever it stands, and only its own item of a bulk write`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const scope = `"namespace":"${namespace}"`
          for (
            const body of [
              `{${scope},"memory_key":"t/1","value":"${escape}"}`,
              `{${scope},"memory_key":"t/1","value":{"a":["${escape}"]}}`,
              `{${scope},"memory_key":"t/1","value":{"${escape}":1}}`,
              `{${scope},"memory_key":"t/${escape}","value":"x"}`,
              `{${scope},"memory_key":"t/1","value":"x","tags":["${escape}"]}`,
              `{${scope},"memory_key":"t/1","value":"x","source_trace":"${escape}"}`,
              `{${scope},"memory_key":"t/1","value":"x","${escape}":1}`
            ]
          ) {
            assert.strictEqual(refusedBy(body, yield* postRaw("memory.set", body)).status, 422)
          }
          assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 0)
          const items = numbers(5).map((index) =>
            `{"memory_key":"b/${index}","value":"${index === 3 ? escape : `Item number ${index}`}"}`
          )
          const bulk = yield* postRaw("memory.bulk_set", `{${scope},"items":[${items.join(",")}]}`)
          const answer = answerOf(MemoryBulkSet, bulk)
          assert.deepInclude(answer, { stored: 4, refused: 1 })
          assert.deepInclude(answer.results[2], { outcome: "refused", code: "INVALID_ARGUMENT", answer: null })
          assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 4)
        }))
    }

    it.effect("an item too large is refused alone; a body of 10 MB is refused whole", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const items = (value: string) =>
          numbers(5).map((index) => ({ memory_key: `b/${index}`, value: index === 3 ? value : `Item number ${index}` }))
        const bulk = yield* ok(MemoryBulkSet, { namespace, items: items("x".repeat(2_000_000)) })
        assert.deepInclude(bulk, { stored: 4, refused: 1 })
        assert.deepInclude(bulk.results[2], { outcome: "refused", code: "PAYLOAD_TOO_LARGE" })
        const whole = yield* refusal("memory.bulk_set", { namespace, items: items("x".repeat(10_000_000)) })
        assert.deepInclude(whole, { status: 413, code: "PAYLOAD_TOO_LARGE" })
        const set = yield* refusal("memory.set", { namespace, memory_key: "t/1", value: "é".repeat(5_000_000) })
        assert.strictEqual(set.status, 413)
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 4)
      }))
  })

  describe("T21 blank values", () => {
    const blanks = [
      "",
      " ",
      "  \t\n",
      "\u200b",
      "\u200b\u200d\ufeff",
      "\u00a0",
      "\u3000",
      "\u2028",
      "\u2060",
      "\u00ad",
      "\u0000",
      "\u2800",
      "\ufe0f",
      "\u0301"
    ]

    for (const value of blanks) {
      it.effect(`${JSON.stringify(value)} gets in by no door`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const kept = yield* ok(MemorySet, { namespace, memory_key: "t/kept", value: "kept" })
          for (
            const [verb, body] of [
              ["memory.set", { memory_key: "t/1", value }],
              ["memory.set", { memory_key: "t/1", value, memory_type: "episodic" }],
              ["memory.set", { memory_key: "t/1", value, sensitivity: "high" }],
              ["memory.set", { memory_key: "t/1", value, dry_run: true }],
              ["memory.update", { memory_key: "t/kept", value }],
              ["memory.update_by_id", { memory_id: kept.memory_id, value }]
            ] as const
          ) {
            const reply = yield* refusal(verb, { namespace, ...body })
            assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, verb)
            assert.strictEqual(reply.detail["field"], "value")
          }
          const bulk = yield* ok(MemoryBulkSet, {
            namespace,
            items: [{ memory_key: "t/1", value }, { memory_key: "t/2", value: "not blank" }]
          })
          assert.deepInclude(bulk, { stored: 1, refused: 1, ok: false })
          assert.deepInclude(bulk.results[0], { outcome: "refused", code: "INVALID_ARGUMENT" })
          assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "t/kept" })).value, "kept")
          assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 2)
        }))
    }

    it.effect("a single sign is a value", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const signs = [".", "?", "-", "…", "0", "👍", "'", "\\"]
        yield* Effect.forEach(signs, (value, index) => ok(MemorySet, { namespace, memory_key: `t/${index}`, value }))
        const list = yield* ok(MemoryList, { namespace })
        assert.sameMembers(list.memories.map(({ value }) => value), signs)
      }))

    it.effect("an empty object, list or null has one rule for every door", () =>
      Effect.gen(function*() {
        const saysSomething: ReadonlyArray<unknown> = [{ a: "" }, 0, false]
        for (const value of [null, {}, [], [""], ...saysSomething]) {
          const namespace = freshNamespace()
          yield* ok(MemorySet, { namespace, memory_key: "t/kept", value: "kept" })
          const set = yield* post("memory.set", { namespace, memory_key: "t/1", value })
          const update = yield* post("memory.update", { namespace, memory_key: "t/kept", value })
          const bulk = yield* ok(MemoryBulkSet, { namespace, items: [{ memory_key: "t/2", value }] })
          const what = JSON.stringify(value)
          assert.strictEqual(set.status, saysSomething.includes(value) ? 200 : 422, what)
          assert.strictEqual(update.status, set.status, what)
          assert.strictEqual(bulk.refused, set.status === 200 ? 0 : 1, what)
          if (set.status === 200) {
            assert.deepStrictEqual((yield* ok(MemoryGet, { namespace, memory_key: "t/1" })).value, value)
          }
        }
      }))
  })

  describe("T22 large values", () => {
    const filler = (length: number) =>
      "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(length / 45)).slice(0, length)

    it.effect("300 kB comes back whole, then gives way to a short value", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "doc/manual" }
        const value = `first-phrase ${filler(150_000)} middle-phrase ${filler(150_000)} last-phrase`
        const set = yield* ok(MemorySet, { ...key, value })
        assert.isAbove(set.chunks_written, 100)
        assert.strictEqual(set.content_sha256, sha256(value))
        assert.strictEqual((yield* ok(MemoryGet, key)).value, value)
        for (const phrase of ["first-phrase", "middle-phrase", "last-phrase"]) {
          assert.strictEqual((yield* ok(MemoryList, { namespace: key.namespace, contains: phrase })).total, 1)
        }
        yield* ok(MemorySet, { ...key, value: "short" })
        assert.strictEqual((yield* ok(MemoryGet, key)).value, "short")
        for (const phrase of ["first-phrase", "middle-phrase", "last-phrase"]) {
          assert.strictEqual((yield* ok(MemoryList, { namespace: key.namespace, contains: phrase })).total, 0)
        }
        assert.deepStrictEqual((yield* ok(MemoryHistory, key)).versions.map((row) => row.value), ["short", value])
      }))

    it.effect("the limit is 1 MiB of UTF-8, to the byte", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const limit = 1024 * 1024
        // High sensitivity spares the embedder and the chunks, which are not what this is about.
        const cases: ReadonlyArray<readonly [unknown, boolean]> = [
          ["x".repeat(limit), true],
          ["x".repeat(limit + 1), false],
          ["é".repeat(limit / 2), true],
          [`${"é".repeat(limit / 2)}x`, false],
          [{ a: "x".repeat(limit - 8) }, true],
          [{ a: "x".repeat(limit - 7) }, false]
        ]
        for (const [index, [value, fits]] of cases.entries()) {
          const key = { namespace, memory_key: `doc/${index}` }
          const reply = yield* post("memory.set", { ...key, value, sensitivity: "high" })
          if (fits) {
            answerOf(MemorySet, reply)
            assert.deepStrictEqual((yield* ok(MemoryGet, key)).value, value)
          } else {
            assert.deepInclude(refusedBy("memory.set", reply), { status: 413, code: "PAYLOAD_TOO_LARGE" })
          }
        }
      }))

    it.effect("a searchable value of 1 MiB without any space is taken", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "doc/one-word" }
        const value = "x".repeat(1024 * 1024)
        yield* ok(MemorySet, { ...key, value })
        assert.strictEqual((yield* ok(MemoryGet, key)).value, value)
      }))

    it.effect("char_limit bounds later values of the key", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "doc/brief" }
        yield* ok(MemorySet, { ...key, value: "short", char_limit: 10 })
        for (const verb of ["memory.set", "memory.update"]) {
          assert.strictEqual((yield* refusal(verb, { ...key, value: "much too long for it" })).status, 422)
        }
        assert.strictEqual((yield* ok(MemoryGet, key)).value, "short")
      }))
  })
})
