import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { share } from "../../src/platform/Bm25.ts"
import { failingText } from "../../src/platform/EmbedderTest.ts"
import { SearchIndex } from "../../src/retrieval/SearchIndex.ts"
import type { LegName } from "../../src/retrieval/SearchModel.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { anyRow, change, commit, find, keysFound, layerSearch, type Memory, memory, remember } from "./SearchFixture.ts"

const word: { readonly legs: ReadonlyArray<LegName> } = { legs: ["lexical"] }

const named = (values: Readonly<Record<string, string>>): ReadonlyArray<Memory> =>
  Object.entries(values).map(([memory_key, value]) => ({ memory_key, value }))

// Sentences without a word in common with what the tests ask for.
const noise = (rows: number): ReadonlyArray<Memory> =>
  Array.from({ length: rows }, (_, at) => ({
    memory_key: `noise/${at}`,
    value: `Harbour ${at % 17} gives shelter number ${at} to ${at % 5} boats with tall masts`
  }))

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`Search in ${name}`, (it) => {
    describe("words", () => {
      it.effect("any form of a word finds any other", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, named({ french: "Mira is studying French", move: "Otto went to Rome" }))
          yield* remember(scope, noise(20))
          for (const query of ["studies", "studied", "study", "STUDYING"]) {
            const { hits } = yield* find(scope, query, {}, word)
            assert.deepStrictEqual(hits.map(({ candidate }) => candidate.head.memory_key), ["french"], query)
            assert.isTrue(hits.every(({ score }) => Number.isFinite(score) && score > 0), query)
          }
          assert.deepStrictEqual(yield* keysFound(scope, "where did he go", {}, word), ["move"])
        }))

      it.effect("scripts without spaces, and marks that are not typed", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(
            scope,
            named({
              zh: "混合检索使用倒数排名融合",
              weather: "今天天气很好",
              ja: "東京で寿司を食べました",
              th: "ฉันชอบกินข้าวผัดที่ร้านใหม่",
              ar: "الاجتماع يوم الثُّلَاثَاء",
              he: "הַפְּגִישָׁה בתל אביב",
              accent: "Café in Zürich"
            })
          )
          const asked = {
            检索: "zh",
            天气: "weather",
            寿司: "ja",
            ข้าวผัด: "th",
            الثلاثاء: "ar",
            הפגישה: "he",
            cafe: "accent",
            zurich: "accent"
          }
          for (const [query, key] of Object.entries(asked)) {
            assert.deepStrictEqual(yield* keysFound(scope, query, {}, word), [key], query)
          }
          assert.deepStrictEqual(yield* keysFound(scope, "多租户", {}, word), [])
        }))

      it.effect("the row with the identifier comes first, however near its twins are", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const versions = ["v1.6", "v1.7", "v1.8", "v1.9", "v1.10"]
          yield* remember(scope, [
            ...noise(1000),
            ...versions.map((version) => ({ memory_key: `release/${version}`, value: `Release notes for ${version}` })),
            {
              memory_key: "error",
              value: "Checkout refuses the card when the gateway answers ERR_7731 twice in a row"
            },
            {
              memory_key: "errors",
              value: "Checkout refuses the card, and the card is refused at checkout by the gateway"
            },
            { memory_key: "commit", value: "The leak was fixed in 9f3c2ab7d41e of the harbour branch" },
            { memory_key: "person", value: "The keys are with Wilhelmina Okonkwo" }
          ])
          const first = (query: string) => Effect.map(keysFound(scope, query), (keys) => keys[0])
          for (const version of versions) {
            assert.strictEqual(yield* first(version), `release/${version}`)
            assert.strictEqual(yield* first(`Release notes for ${version}`), `release/${version}`)
          }
          assert.strictEqual(yield* first("ERR_7731"), "error")
          assert.strictEqual(yield* first("why does checkout refuse the card at the gateway with err_7731?"), "error")
          assert.strictEqual(yield* first("9f3c2ab7d41e"), "commit")
          assert.strictEqual(yield* first("9f3c2ab"), "commit")
          assert.strictEqual(yield* first("okonkwo"), "person")
        }))

      it.effect("the identical text comes first, before texts that repeat its words", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, [
            ...noise(200),
            { memory_key: "more", value: "lamp lamp lamp kitchen kitchen kitchen lamp kitchen" },
            { memory_key: "same", value: "lamp in the kitchen" },
            { memory_key: "long", value: `the kitchen lamp ${"and the kitchen lamp ".repeat(20)}` },
            { memory_key: "sign", value: "!!" },
            { memory_key: "stop", value: "The Who" }
          ])
          for (
            const [query, key] of Object.entries({
              "lamp in the kitchen": "same",
              "Lamp in the kitchen!": "same",
              "The Who": "stop"
            })
          ) {
            assert.strictEqual((yield* keysFound(scope, query))[0], key, query)
          }
        }))
    })

    describe("what is served", () => {
      it.effect("nothing deleted, replaced, hidden, ended or secret is found; restoring brings it back", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const [vault] = yield* remember(scope, [{ memory_key: "ops/vpn", value: "Vault door code name is HERON-77" }])
          assert.isDefined(vault)
          yield* remember(scope, noise(30))
          const asked = ["Vault door code name is HERON-77", "HERON-77", "code of the vault door"]
          const all = Effect.forEach(
            asked,
            (query) => Effect.map(keysFound(scope, query), (keys) => keys.includes("ops/vpn"))
          )
          const some: ReadonlyArray<boolean> = [true, true, true]
          const none: ReadonlyArray<boolean> = [false, false, false]
          assert.deepStrictEqual(yield* all, some)
          const states = [
            { status: "tombstoned" },
            { status: "duplicate" },
            { status: "void" },
            { status: "active", expires_at: noon - 1 },
            { status: "active", expires_at: null, valid_to: noon },
            { status: "active", valid_to: null, sensitivity: "high" },
            { status: "active", sensitivity: "none", memory_type: "reflection" }
          ] as const
          let row = vault
          for (const state of states) {
            row = yield* change(row, state)
            assert.deepStrictEqual(yield* all, none, JSON.stringify(state))
          }
          row = yield* change(row, { memory_type: "semantic", expires_at: noon + 1, valid_to: noon + 1 })
          assert.deepStrictEqual(yield* all, some)
          row = yield* change(row, { status: "conflicted" })
          assert.deepStrictEqual(yield* all, some)
        }))

      it.effect("the old text of a revised memory is not found, the new one is", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, noise(30))
          yield* remember(scope, [{ memory_key: "home", value: "Priya lives in Delhi" }])
          yield* remember(scope, [{ memory_key: "home", value: "Priya moved to Berlin" }])
          assert.deepStrictEqual(yield* keysFound(scope, "Delhi", {}, word), [])
          const { hits } = yield* find(scope, "Priya lives in Delhi")
          assert.deepStrictEqual(
            hits.filter(({ candidate }) => candidate.head.memory_key === "home").map(({ excerpt }) => excerpt),
            [
              "Priya moved to Berlin"
            ]
          )
        }))

      it.effect("each phrase of a long value is found and traced to its key, until the value changes", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const filler = (from: number) =>
            Array.from({ length: 4000 }, (_, at) => `Line ${from + at} says little.`).join(" ")
          const phrases = ["quiet zebra parade", "copper lantern festival", "violet tractor museum"]
          const value = `${phrases[0]}. ${filler(0)} ${phrases[1]}. ${filler(9000)} ${phrases[2]}.`
          yield* remember(scope, [...noise(60), { memory_key: "doc/long", value }])
          for (const phrase of phrases) {
            const { hits } = yield* find(scope, phrase, {}, { excerptLength: 200 })
            const [hit] = hits
            assert.strictEqual(hit?.candidate.head.memory_key, "doc/long")
            assert.include(hit?.excerpt, phrase)
            assert.isAtMost(hit?.excerpt.length ?? 0, 200)
            if (hit?.passage) assert.include(value.slice(hit.passage.start, hit.passage.end), phrase)
            assert.lengthOf(hits.filter(({ candidate }) => candidate.head.memory_key === "doc/long"), 1)
          }
          yield* remember(scope, [{ memory_key: "doc/long", value: "Nothing of that any more" }])
          for (const phrase of phrases) assert.deepStrictEqual(yield* keysFound(scope, phrase, {}, word), [])
          for (const phrase of phrases) {
            assert.deepStrictEqual(yield* keysFound(scope, phrase, {}, { legs: ["chunks"] }), [])
          }
        }))
    })

    describe("legs", () => {
      it.effect("without the embedder the other legs answer and the answer says so", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, named({ tea: "Ida drinks green tea" }))
          const result = yield* find(scope, `green tea ${failingText}`)
          assert.deepStrictEqual(result.hits.map(({ candidate }) => candidate.head.memory_key), ["tea"])
          assert.deepStrictEqual(result.degraded, ["vector_unavailable"])
          assert.isNull(result.embedderId)
          const alone = yield* Effect.flip(find(scope, `green tea ${failingText}`, {}, { legs: ["vector"] }))
          assert.strictEqual(alone._tag, "Unavailable")
        }))

      it.effect("the store ranks by the same formula as the share, and counts its corpus exactly", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const words = ["tea", "lamp", "harbour", "kitchen", "boats"]
          const values = Array.from(
            { length: 40 },
            (_, at) =>
              words.flatMap((word, index) => Array.from({ length: (at * (index + 3)) % 4 }, () => word)).join(" ") ||
              "empty"
          )
          yield* remember(scope, values.map((value, at) => ({ memory_key: `text/${at}`, value })))
          const index = yield* SearchIndex
          const { corpus, hits } = yield* index.lexical(scope, anyRow, termGroups("tea lamp harbour"), 40)
          const holding = words.slice(0, 3).map((word) =>
            values.filter((value) => value.split(" ").includes(word)).length
          )
          assert.strictEqual(corpus.rows, values.length)
          assert.deepStrictEqual(corpus.holding, holding)
          assert.closeTo(corpus.meanLength, values.flatMap((value) => value.split(" ")).length / values.length, 1e-9)
          const shares = hits.map(({ terms }) => share(corpus, terms))
          assert.isAbove(shares.length, 20)
          for (const [at, value] of shares.slice(1).entries()) assert.isAtMost(value, (shares[at] ?? 0) + 1e-9)
        }))

      it.effect("a key that names the subject is found by it", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          yield* remember(scope, [
            ...noise(60),
            { memory_key: "project/loom/deploy-window", value: "Fridays from two to four in the afternoon" }
          ])
          assert.strictEqual(
            (yield* keysFound(scope, "deploy window of project loom"))[0],
            "project/loom/deploy-window"
          )
        }))

      it.effect("a score is the sum of its parts, and equal scores have one order", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const rows = Array.from({ length: 12 }, (_, at) =>
            memory(scope, { memory_key: `twin/${at}`, value: "Green tea at nine" }))
          yield* commit(rows)
          const once = yield* find(scope, "when is green tea", {}, { limit: 12 })
          for (const { components, score } of once.hits) {
            const sum = Object.values<number>({ ...components }).reduce((all, part) =>
              all + part, 0)
            assert.closeTo(sum, score, 1e-6)
          }
          assert.deepStrictEqual(
            once.hits.map(({ candidate }) => candidate.head.memory_key),
            rows.map(({ memory_key }) => memory_key).reverse()
          )
        }))
    })
  })
}
