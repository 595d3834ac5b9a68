/**
 * Memories for tests of the search: committed through the real store, derived by the real analyzer and the embedder of
 * the test, and asked for as a caller would. A test names only what it is about.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identityOf } from "../../src/kernel/Identity.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { emptyCommit, MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Derived } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { canonical, chunks, excerpt, lemmas, lowered, stems } from "../../src/platform/Analyzer.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import * as Tokens from "../../src/platform/Tokens.ts"
import * as DigestLegClickhouse from "../../src/retrieval/DigestLegClickhouse.ts"
import * as DigestStoreClickhouse from "../../src/retrieval/DigestStoreClickhouse.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import { Search, type SearchRequest } from "../../src/retrieval/Search.ts"
import * as SearchLayer from "../../src/retrieval/Search.ts"
import * as SearchIndexClickhouse from "../../src/retrieval/SearchIndexClickhouse.ts"
import type { SearchFilter } from "../../src/retrieval/SearchModel.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { noon, revised, rowOf, versionAt } from "../memory/MemoryFixture.ts"

/** Store, index, search and test embedder on one embedded engine; scopes of any size take the way of large ones at 0. */
export const layerSearch = (options = SearchIndexClickhouse.defaultOptions) =>
  SearchLayer.layer.pipe(
    Layer.provide([RankPolicy.layer, DigestLegClickhouse.layer]),
    Layer.provideMerge(GatePolicy.layer),
    Layer.provideMerge(SearchIndexClickhouse.layerWith(options)),
    Layer.provideMerge(MemoryStoreClickhouse.layer),
    Layer.provideMerge(DigestStoreClickhouse.layer),
    Layer.provideMerge(EmbedderTest.layerTest),
    Layer.provideMerge(layerEngine)
  )

/** The same with what the verbs need beside. */
export const layerVerbs = (options = SearchIndexClickhouse.defaultOptions) =>
  Layer.mergeAll(layerSearch(options), Cursors.layerMemory, Tokens.layer)

export type Memory = Partial<MemoryRow> & { readonly memory_key: string; readonly value: string }

let count = 0

/** A row with the hashes of its value, later than every row before it. */
export const memory = (scope: Scope, given: Memory): MemoryRow =>
  rowOf(scope, {
    content_sha256: sha256(given.value),
    canonical_sha256: sha256(canonical(given.value)),
    version: versionAt(noon) + BigInt(++count),
    ...given
  })

const derive = (row: MemoryRow): Effect.Effect<Derived, never, Embedder> =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const head = excerpt(row.value, 1200)
    const [value, key] = yield* Effect.orDie(embedder.embed([head, row.memory_key.replace(/[/_.:-]+/g, " ")]))
    const { agent, memory_key, namespace, org, session_id, user_id } = row
    return {
      identity: { org, namespace, agent, user_id, session_id, memory_key },
      content_sha256: row.content_sha256,
      memory_type: row.memory_type,
      source_class: row.source_class,
      verified: false,
      version: row.version,
      searchable: {
        embedder_id: embedder.id,
        value_vector: value ?? new Float32Array(embedder.dimensions),
        key_vector: key ?? new Float32Array(embedder.dimensions),
        excerpt: head,
        lowered: lowered(head),
        stems: stems(head),
        lemmas: lemmas(head),
        chunks: row.value.length <= head.length ? [] : chunks(row.value).map(({ end, start, text }, index) => ({
          index,
          start,
          end,
          text,
          stems: stems(text),
          lemmas: lemmas(text)
        }))
      }
    }
  })

/** Commits rows with all that is derived from them. */
export const commit = (rows: ReadonlyArray<MemoryRow>) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const derived = yield* Effect.forEach(rows, derive)
    const entities = rows.flatMap((row) =>
      row.entities.map((entity) => ({ identity: identityOf(row), entity, version: row.version }))
    )
    yield* store.commit({ ...emptyCommit, rows, derived, entities })
    return rows
  })

export const remember = (scope: Scope, given: ReadonlyArray<Memory>) => commit(given.map((item) => memory(scope, item)))

/** The row's next version, committed without deriving anything anew. */
export const change = (row: MemoryRow, changed: Partial<MemoryRow>) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const next = revised(row, 1, changed)
    yield* store.commit({ ...emptyCommit, rows: [next] })
    return next
  })

export const anyRow: SearchFilter = {
  agent: null,
  user_id: null,
  session_ids: [],
  run_id: null,
  memory_type: null,
  tags: [],
  tags_every: [],
  tags_none: [],
  entities: [],
  exclude_keys: [],
  statuses: ["active", "conflicted"],
  created_after: null,
  created_before: null,
  confidence_gte: null,
  now: noon
}

export const find = (
  scope: Scope,
  text: string,
  filter: Partial<SearchFilter> = {},
  request: Partial<SearchRequest> = {}
) =>
  Effect.flatMap(
    Search,
    (search) =>
      search.find({
        scope,
        filter: { ...anyRow, ...filter },
        text,
        limit: 10,
        legs: [],
        excerptLength: 400,
        ...request
      })
  )

/** The keys found, best first. */
export const keysFound = (...asked: Parameters<typeof find>) =>
  Effect.map(find(...asked), ({ hits }) => hits.map(({ candidate }) => candidate.head.memory_key))
