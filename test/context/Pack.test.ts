/**
 * The flow of a block over stores of the test: the slot of the working memory, a search that fails, and rows that change
 * while a block is made.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as PackHandlers from "../../src/context/PackHandlers.ts"
import type { PackMemory, WorkingNote } from "../../src/context/PackModel.ts"
import { PackStore } from "../../src/context/PackStore.ts"
import type { ListedSection } from "../../src/context/PackStore.ts"
import { ContextPack } from "../../src/context/PackVerbs.ts"
import * as WorkingMemory from "../../src/context/WorkingMemory.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Overloaded, StoreError } from "../../src/kernel/LoomError.ts"
import { Overloaded as TooMany, Unavailable } from "../../src/kernel/LoomError.ts"
import * as Tokens from "../../src/platform/Tokens.ts"
import { Search } from "../../src/retrieval/Search.ts"
import type { SearchRequest, SearchResult } from "../../src/retrieval/Search.ts"
import { noon } from "../memory/MemoryFixture.ts"
import { packed } from "./PackFixture.ts"

interface House {
  readonly notes?: ReadonlyArray<WorkingNote>
  readonly memories?: ReadonlyArray<PackMemory>
  readonly lists?: { readonly [Name in ListedSection]?: ReadonlyArray<PackMemory> }
  readonly find?: (request: SearchRequest) => Effect.Effect<SearchResult, StoreError | Overloaded>
}

const noHits: SearchResult = {
  hits: [],
  candidates: 0,
  degraded: [],
  embedderId: null,
  pendingIndex: null,
  verdict: { confidence: 0, abstain: { code: "NO_MATCH", reason: "" } },
  suppressed: null,
  rest: [],
  depth: 30
}

const asked = ({ find = () => Effect.succeed(noHits), lists = {}, memories = [], notes }: House, request: object) =>
  Effect.flatMap(
    PackHandlers.make,
    ([pack]) => pack === undefined ? Effect.die("no handler") : pack.call(request, localCaller)
  ).pipe(
    Effect.map((answer) => ContextPackAnswer(answer)),
    Effect.provide([
      Layer.succeed(Search, { find, trace: () => Effect.die("not asked for") }),
      Layer.succeed(PackStore, {
        listed: (_, section) => Effect.succeed({ places: lists[section] ?? [], total: lists[section]?.length ?? 0 }),
        at: () => Effect.succeed([...memories, ...Object.values(lists).flat()])
      }),
      notes === undefined
        ? WorkingMemory.layerEmpty
        : Layer.succeed(WorkingMemory.WorkingMemory, { read: () => Effect.succeed(notes) }),
      Tokens.layer
    ])
  )

const ContextPackAnswer = (answer: unknown): typeof ContextPack.answer.Type =>
  Schema.decodeUnknownSync(ContextPack.answer)(answer)

const hitOf = (memory: PackMemory, excerpt: string): SearchResult["hits"][number] => ({
  candidate: {
    head: {
      ...memory,
      entities: [],
      pinned: false,
      version: 1n,
      confidence: 1,
      canonical_sha256: "",
      duplicate_of: "",
      invalid_at: null,
      superseded_by: "",
      temporal_confidence: null,
      reinforcement_count: 1,
      sensitivity: "none"
    },
    cosines: undefined,
    terms: undefined,
    passage: undefined
  },
  score: 1,
  similarity: null,
  components: {
    words: 1,
    vector: 0,
    identifier: 0,
    entities: 0,
    digests: 0,
    names: 0,
    time: 0,
    exact: 0,
    tags_soft: 0,
    demote_tags: 0,
    fullness: 0,
    recency: 0,
    confidence: 0,
    trust: 0,
    usage: 0,
    sensitivity: 0
  },
  passage: null,
  excerpt,
  excerptParts: [{ start: 10, end: 10 + excerpt.length }],
  relevance: 0.5,
  belowThreshold: false,
  siblings: 0
})

describe("context.pack", () => {
  it.effect("tells working memory ahead of what is durable, where there is any", () =>
    Effect.gen(function*() {
      const rule = packed("rule", { tags: ["constraint"] })
      const notes = [{ key: "plan", text: "Step 2 of 3", updated_at: noon }, {
        key: "lease",
        text: "mine",
        updated_at: noon + 1
      }]
      const { block, memories, sections } = yield* asked({ notes, lists: { decisions: [rule] } }, {})
      assert.deepStrictEqual(block.split("\n").slice(2, -1), [
        "## Working memory",
        "- [2026-11-29] lease: mine",
        "- [2026-11-29] plan: Step 2 of 3",
        "## Decisions and constraints",
        "- [2026-11-29, asserted, constraint] rule: Deploys happen on Tuesdays"
      ])
      assert.deepInclude(sections[0], { section: "working_memory", state: "told", shown: 2 })
      assert.lengthOf(memories, 1)
      const without = yield* asked({ lists: { decisions: [rule] } }, {})
      assert.deepInclude(without.sections[0], { section: "working_memory", state: "empty", shown: 0 })
    }))

  it.effect("a search that cannot answer leaves the other sections standing; one that is not let in says so", () =>
    Effect.gen(function*() {
      const lists = { profile: [packed("p", { memory_type: "profile" })] }
      const find = () => Effect.fail(new Unavailable({ operation: "memory.search" }))
      const answer = yield* asked({ lists, find }, { query: "tea", block_order: ["reflections"] })
      assert.deepInclude(answer, { abstain: null, degraded: ["search_unavailable"] })
      assert.deepStrictEqual(answer.memories.map(({ memory_key }) => memory_key), ["p"])
      assert.notInclude(answer.block, "nothing stored")
      const late = yield* asked({ lists, find: () => Effect.succeed({ ...noHits, degraded: ["vector_late"] }) }, {
        query: "tea"
      })
      assert.deepStrictEqual(late.degraded, ["vector_late"])
      const refused = yield* Effect.flip(
        asked({ find: () => Effect.fail(new TooMany({ retry_after_s: 1 })) }, { query: "tea" })
      )
      assert.strictEqual(refused._tag, "Overloaded")
    }))

  it.effect("searches no more often than there are questions", () =>
    Effect.gen(function*() {
      const searched: Array<string> = []
      const find = ({ filter, legs, text }: SearchRequest) =>
        Effect.sync(() => {
          searched.push(`${text} ${filter.memory_type} ${legs.includes("chunks") || legs.length === 0}`)
          return noHits
        })
      const house = (request: object) => Effect.map(asked({ find }, request), () => searched.splice(0).toSorted())
      assert.deepStrictEqual(yield* house({}), [])
      assert.deepStrictEqual(yield* house({ query: "tea" }), ["tea null true"])
      assert.deepStrictEqual(yield* house({ situation: "tea" }), ["tea null true"])
      assert.deepStrictEqual(yield* house({ query: "tea", situation: "spill", include_chunks: false }), [
        "spill procedural false",
        "tea null false"
      ])
      assert.deepStrictEqual(yield* house({ query: "tea", block_order: ["reflections"] }), [
        "tea null true",
        "tea reflection true"
      ])
      assert.deepStrictEqual(yield* house({ query: "tea", only_sections: ["profile"] }), [])
    }))

  it.effect("shows no part of a value that was changed since it was found, nor a row that is gone", () =>
    Effect.gen(function*() {
      const long = "A new text that is longer than a line may be. ".repeat(30)
      const now = packed("changed", { text: long, content_sha256: "b".repeat(64) })
      const before = packed("changed", { text: "An old text", content_sha256: "a".repeat(64) })
      const find = () =>
        Effect.succeed({ ...noHits, hits: [hitOf(before, "An old text"), hitOf(packed("gone"), "It is gone")] })
      const answer = yield* asked({ find, memories: [now] }, { query: "text" })
      assert.deepStrictEqual(answer.memories.map(({ memory_key }) => memory_key), ["changed"])
      assert.include(answer.block, "changed: A new text")
      assert.notInclude(answer.block, "An old text")
      assert.isTrue(answer.memories[0]?.body_truncated)
      const same = yield* asked({
        find: () => Effect.succeed({ ...noHits, hits: [hitOf(now, "longer than a line")] }),
        memories: [now]
      }, { query: "text" })
      assert.include(same.block, "changed: … longer than a line …")
    }))
})
