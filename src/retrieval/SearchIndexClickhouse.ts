/**
 * `SearchIndex` on ClickHouse. In a large scope a leg first ranks all derived rows, which needs no join, and then asks
 * which of the best are served; when too few are, or the filter is narrow, or the scope is small, it ranks the served
 * rows alone. The two ways give the same rows; only the corpus of BM25 counts retired texts in the first.
 */
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { inScope, isNarrow } from "./SearchFilterClickhouse.ts"
import { SearchIndex } from "./SearchIndex.ts"
import type { PassageHit, VectorHit, WordAnswer, WordHit } from "./SearchIndex.ts"
import { placeKey } from "./SearchModel.ts"
import type { Corpus, Head, Place, SearchFilter } from "./SearchModel.ts"
import * as Rows from "./SearchRowsClickhouse.ts"
import * as VectorLeg from "./VectorLegClickhouse.ts"
import * as Words from "./WordsClickhouse.ts"

export interface IndexOptions {
  /** Scopes of up to this many derived rows are always ranked among the served rows alone. */
  readonly smallScope: number
}

// Up to here the join with the heads costs about what the second statement does.
export const defaultOptions: IndexOptions = { smallScope: 10_000 }

// How many of the best rows are looked at for each one wanted: a third may be retired before the join is needed.
const SPARE = 1.5
// A scope's size is only used to choose the way, so it may be old.
const SIZE_AGE = "30 seconds"
const SIZES_KEPT = 4_096

const SizeRow = Schema.Struct({ rows: Schema.Number })

export const make = (options: IndexOptions): Effect.Effect<SearchIndex["Type"], never, Clickhouse> =>
  Effect.gen(function*() {
    const clickhouse = yield* Clickhouse

    const sizes = yield* Cache.make({
      capacity: SIZES_KEPT,
      timeToLive: SIZE_AGE,
      lookup: (scope: Scope) =>
        Effect.map(
          clickhouse.query(
            ch.sql("SearchIndex.size")`SELECT toUInt32(count()) AS rows FROM loom.memory_embeddings WHERE ${
              inScope(scope)
            }`,
            SizeRow
          ),
          (rows) => rows[0]?.rows ?? 0
        )
    })

    /** Each row whose place is a served head, with that head; one row a place, in their order. */
    const withHeads = <Row extends Place>(scope: Scope, filter: SearchFilter, rows: ReadonlyArray<Row>) =>
      rows.length === 0
        ? Effect.succeed([])
        : Effect.map(clickhouse.query(Rows.heads(scope, filter, rows), Rows.HeadRow), (found) => {
          const heads = new Map(found.map((head) => [placeKey(head), head]))
          return rows.flatMap((row): ReadonlyArray<Found<Row>> => {
            const key = placeKey(row)
            const head = heads.get(key)
            heads.delete(key)
            return head === undefined ? [] : [{ row, head }]
          })
        })

    /** The best `limit` served rows: from the best of all rows where that is enough, else ranked among the served. */
    const bestServed = <Row extends Place>(
      scope: Scope,
      filter: SearchFilter,
      limit: number,
      read: (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, StoreError>,
      all: (limit: number) => Statement,
      servedOnly: (limit: number) => Statement
    ): Effect.Effect<ReadonlyArray<Found<Row>>, StoreError> =>
      Effect.gen(function*() {
        if (!isNarrow(filter)) {
          const size = yield* sizes.get(Data.struct({ org: scope.org, namespace: scope.namespace }))
          if (size > options.smallScope) {
            const depth = Math.ceil(limit * SPARE)
            const rows = yield* read(all(depth))
            const served = yield* withHeads(scope, filter, rows)
            if (served.length >= limit || rows.length < depth) return served.slice(0, limit)
          }
        }
        return yield* withHeads(scope, filter, yield* read(servedOnly(limit)))
      })

    const answer = <Row extends Words.WordRow, Hit extends WordHit>(
      found: ReadonlyArray<Found<Row>>,
      hit: (found: Found<Row>) => Hit
    ): WordAnswer<Hit> => ({ corpus: corpusOf(found[0]?.row), hits: found.map(hit) })

    return {
      vector: Effect.fn("SearchIndex.vector")(function*(scope, filter, query, limit) {
        const rows = yield* bestServed(
          scope,
          filter,
          limit,
          (statement) => clickhouse.query(statement, VectorLeg.NearRow),
          (limit) => VectorLeg.nearest(scope, filter, query, limit),
          (limit) => VectorLeg.nearestServed(scope, filter, query, limit)
        )
        return rows.map(({ head, row }): VectorHit => ({ head, cosines: { value: row.of_value, key: row.of_key } }))
      }),
      lexical: Effect.fn("SearchIndex.lexical")(function*(scope, filter, terms, limit) {
        const rows = yield* bestServed(
          scope,
          filter,
          limit,
          (statement) => clickhouse.query(statement, Words.WordRow),
          (limit) => Words.best(Words.excerpts, scope, filter, terms, limit),
          (limit) => Words.bestServed(Words.excerpts, scope, filter, terms, limit)
        )
        return answer(rows, wordHit)
      }),
      chunks: Effect.fn("SearchIndex.chunks")(function*(scope, filter, terms, limit) {
        const rows = yield* bestServed(
          scope,
          filter,
          limit,
          (statement) => clickhouse.query(statement, Words.PassageRow),
          (limit) => Words.best(Words.passages, scope, filter, terms, limit),
          (limit) => Words.bestServed(Words.passages, scope, filter, terms, limit)
        )
        return answer(rows, (found): PassageHit => ({
          ...wordHit(found),
          passage: { chunk_index: found.row.chunk_index, start: found.row.start_at, end: found.row.end_at }
        }))
      }),
      derived: Effect.fn("SearchIndex.derived")(function*(scope, places, terms, query) {
        if (places.length === 0) return []
        const rows = yield* clickhouse.query(Rows.derived(scope, places, terms, query), Rows.DerivedRow)
        return rows.map((row) => ({
          ...placeOf(row),
          excerpt: row.excerpt,
          cosines: query !== null && row.comparable ? { value: row.of_value, key: row.of_key } : null,
          terms: { counts: row.counts, length: row.words }
        }))
      }),
      passages: Effect.fn("SearchIndex.passages")(function*(scope, asked) {
        if (asked.length === 0) return []
        const rows = yield* clickhouse.query(Rows.passageTexts(scope, asked), Rows.PassageTextRow)
        const texts = new Map(rows.map((row) => [`${placeKey(row)}\u0000${row.chunk_index}`, row.text]))
        return asked.flatMap(({ passage, place }) => {
          const text = texts.get(`${placeKey(place)}\u0000${passage.chunk_index}`)
          return text === undefined ? [] : [{ place, text }]
        })
      })
    }
  })

export const layerWith = (options: IndexOptions): Layer.Layer<SearchIndex, never, Clickhouse> =>
  Layer.effect(SearchIndex, make(options))

export const layer: Layer.Layer<SearchIndex, never, Clickhouse> = layerWith(defaultOptions)

const placeOf = ({ agent, content_sha256, memory_key, session_id, user_id }: Place): Place => ({
  agent,
  user_id,
  session_id,
  memory_key,
  content_sha256
})

interface Found<Row> {
  readonly row: Row
  readonly head: Head
}

const wordHit = ({ head, row }: Found<Words.WordRow>): WordHit => ({
  head,
  terms: { counts: row.counts, length: row.words }
})

const corpusOf = (row: Words.WordRow | undefined): Corpus =>
  row === undefined
    ? { rows: 0, meanLength: 0, holding: [] }
    : { rows: row.corpus_rows, meanLength: row.corpus_words / Math.max(row.corpus_rows, 1), holding: row.holding }
