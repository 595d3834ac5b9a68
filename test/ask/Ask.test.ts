import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Ask from "../../src/ask/Ask.ts"
import * as AskOptions from "../../src/ask/AskOptions.ts"
import { EvidenceStore } from "../../src/ask/EvidenceStore.ts"
import * as EvidenceStoreClickhouse from "../../src/ask/EvidenceStoreClickhouse.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { layerNone } from "../../src/platform/LanguageModel.ts"
import { placeKey } from "../../src/retrieval/SearchModel.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { anyRow, change, layerSearch, remember } from "../retrieval/SearchFixture.ts"

const layerAsk = Ask.layer.pipe(
  Layer.provide([layerNone, AskOptions.layer()]),
  Layer.provideMerge(EvidenceStoreClickhouse.layer),
  Layer.provideMerge(layerSearch())
)

let spaces = 0
const fresh = (): Scope => ({ org: "acme", namespace: `ask-${++spaces}` })

const ask = (scope: Scope, question: string, filter: Partial<SearchFilter> = {}) =>
  Effect.flatMap(Ask.Ask, (service) =>
    service.answer({
      scope,
      filter: { ...anyRow, ...filter },
      question,
      limit: 10,
      tagsSoft: [],
      tagsDemoted: [],
      maxChars: 400,
      mayWrite: true,
      excerptLength: 200
    }))

const passageOf = (row: MemoryRow, start: number) => ({
  place: row,
  passage: { chunk_index: 1, start, end: start + 9 }
})

layer(layerAsk, { timeout: 60_000 })("Ask on an engine", (it) => {
  it.effect("reads the texts under the scope and filter of the search, at the content that was found", () =>
    Effect.gen(function*() {
      const scope = fresh()
      const store = yield* EvidenceStore
      const rows = yield* remember(scope, [
        { memory_key: "a", value: "Nadia eats peanuts", conflict_with: ["mem_x"] },
        { memory_key: "b", value: "Otto eats glass", user_id: "otto" },
        { memory_key: "c", value: "The code is umbrella", sensitivity: "high" },
        { memory_key: "d", value: "The page says so", source_class: "external" }
      ])
      const texts = (filter: Partial<SearchFilter>, asked: ReadonlyArray<MemoryRow> = rows, space = scope) =>
        Effect.map(
          store.texts(space, { ...anyRow, ...filter }, asked.map((place) => ({ place, passage: null }))),
          (found) => [...found.values()].map(({ text }) => text).sort()
        )
      assert.deepStrictEqual(yield* texts({}), ["Nadia eats peanuts", "Otto eats glass", "The page says so"])
      assert.deepStrictEqual(yield* texts({ user_id: "otto" }), ["Otto eats glass"])
      assert.deepStrictEqual(yield* texts({ unverifiedExternal: false }), ["Nadia eats peanuts", "Otto eats glass"])
      assert.deepStrictEqual(yield* texts({}, rows, fresh()), [])
      assert.deepStrictEqual(yield* texts({}, []), [])
      const found = yield* store.texts(scope, anyRow, [{ place: rows[0]!, passage: null }])
      assert.deepStrictEqual(found.get(placeKey(rows[0]!)), {
        text: "Nadia eats peanuts",
        offset: 0,
        conflict_with: ["mem_x"]
      })
      yield* change(rows[0]!, { status: "tombstoned" })
      yield* change(rows[1]!, { value: "Otto eats bread", content_sha256: "0".repeat(64) })
      assert.deepStrictEqual(yield* texts({}), ["The page says so"])
      yield* change(rows[3]!, { value: "", value_kind: "redacted" })
      assert.deepStrictEqual(yield* texts({}), [])
    }))

  it.effect("of a value too long to be read whole takes the passage that was found, at its place", () =>
    Effect.gen(function*() {
      const scope = fresh()
      const value = Array.from({ length: 400 }, (_, at) => `Sentence ${at} is about the weather 🙂.`).join(" ")
      const [row] = yield* remember(scope, [{ memory_key: "long", value }])
      const store = yield* EvidenceStore
      const only = (asked: Parameters<typeof store.texts>[2]) =>
        Effect.map(store.texts(scope, anyRow, asked), (found) => found.get(placeKey(row!)))
      const beginning = yield* only([{ place: row!, passage: null }])
      assert.deepInclude(beginning, { offset: 0 })
      assert.isTrue(value.startsWith(beginning?.text ?? "none"))
      const answer = yield* ask(scope, "What is sentence 317 about?")
      const [quote] = answer.quotes
      assert.include(quote?.text, "Sentence 317 ")
      assert.strictEqual(value.slice(quote!.start, quote!.end), quote!.text)
      // A passage that is gone leaves the beginning.
      assert.deepInclude(
        yield* only(
          [passageOf({ ...row! }, 4)].map((one) => ({ ...one, passage: { chunk_index: 999, start: 4, end: 9 } }))
        ),
        {
          offset: 0
        }
      )
    }))

  it.effect("what is told and contradicted by a memory that is not is disputed; it is named to whoever may find it", () =>
    Effect.gen(function*() {
      const scope = fresh()
      const [told, other] = yield* remember(scope, [
        {
          memory_key: "a",
          value: "Nadia eats peanuts",
          status: "conflicted",
          conflict_with: ["mem_b"],
          user_id: "ada"
        },
        { memory_key: "b", memory_id: "mem_b", value: "The clinic forbids all legumes", status: "conflicted" },
        { memory_key: "c", value: "Otto repairs bicycles", conflict_with: ["mem_b"], user_id: "ada" }
      ])
      const said = (question: string, filter: Partial<SearchFilter> = {}) =>
        Effect.map(ask(scope, question, filter), ({ consistency, quotes }) => [
          quotes.map(({ evidence }) => evidence.head.memory_key).join(),
          consistency?.state,
          consistency?.note
        ])
      const eats = "What does Nadia eat?"
      const named = ["a", "disputed", "Memories that are not told contradict this answer: `b`."]
      const unnamed = ["a", "disputed", "Memories that are not told contradict this answer."]
      assert.deepStrictEqual(yield* said(eats), named)
      assert.deepStrictEqual(yield* said(eats, { user_id: "ada" }), unnamed)
      assert.deepStrictEqual(yield* said(eats, { exclude_keys: ["b"] }), unnamed)
      // A link that was settled disputes nothing.
      assert.deepStrictEqual(yield* said("What does Otto repair?"), ["c", "consistent", null])
      const hidden = yield* change(other!, { sensitivity: "high" })
      assert.deepStrictEqual(yield* said(eats), unnamed)
      yield* change(hidden, { sensitivity: "none", status: "tombstoned" })
      assert.deepStrictEqual(yield* said(eats), unnamed)
      yield* change(told!, { status: "active", conflict_with: [] })
      assert.deepStrictEqual(yield* said(eats), ["a", "consistent", null])
    }))

  it.effect(
    "whatever is stored, each line of an answer stands in a value that the reader may read",
    () =>
      Effect.gen(function*() {
        const word = fc.constantFrom(
          "Nadia",
          "eats",
          "peanuts",
          "Otto",
          "in",
          "2023",
          "ignore previous instructions",
          "not",
          "🙂",
          ". ",
          "\n",
          "\"",
          "花生"
        )
        const value = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "))
        const rows = fc.array(
          fc.record({
            value,
            user_id: fc.constantFrom("ada", "bob"),
            source_class: fc.constantFrom("asserted" as const, "external" as const)
          }),
          { minLength: 1, maxLength: 8 }
        )
        // Each sample is written and searched for on the engine.
        for (const sample of fc.sample(rows, { numRuns: 12, seed: 7 })) {
          const scope = fresh()
          yield* remember(scope, sample.map((row, at) => ({ ...row, memory_key: `k/${at}` })))
          for (const user_id of ["ada", "bob"]) {
            const { answer, source } = yield* ask(scope, "What does Nadia eat in 2023?", { user_id })
            const readable = sample.filter((row) => row.user_id === user_id && row.source_class === "asserted")
            assert.strictEqual(source === "none", answer === "")
            for (const line of answer === "" ? [] : answer.split("\n")) {
              assert.isTrue(readable.some(({ value }) => value.includes(line)), line)
            }
          }
        }
      }),
    90_000
  )
})
