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
import type { Place, SearchFilter } from "./SearchModel.ts"
import * as Rows from "./SearchRowsClickhouse.ts"
import * as VectorLeg from "./VectorLegClickhouse.ts"
import * as Words from "./WordsClickhouse.ts"

export interface IndexOptions {
  /** Scopes of up to this many derived rows are always ranked among the served rows alone. */
  readonly smallScope: number
}

// Up to here the join with the heads costs about what the second statement does.
export const defaultOptions: IndexOptions = { smallScope: 10_000 }

// How many of the best rows are looked at for each one wanted: every second may be retired before the join is needed.
const SPARE = 2
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

    const isServed = (scope: Scope, filter: SearchFilter, places: ReadonlyArray<Place>) =>
      places.length === 0
        ? Effect.succeed(() => false)
        : Effect.map(clickhouse.query(Rows.servedAmong(scope, filter, places), Rows.PlaceRow), (rows) => {
          const served = new Set(rows.map(placeKey))
          return (place: Place) => served.has(placeKey(place))
        })

    /** The best `limit` served rows: from the best of all rows where that is enough, else ranked among the served. */
    const bestServed = <Row extends Place>(
      scope: Scope,
      filter: SearchFilter,
      limit: number,
      read: (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, StoreError>,
      all: (limit: number) => Statement,
      servedOnly: (limit: number) => Statement
    ): Effect.Effect<ReadonlyArray<Row>, StoreError> =>
      Effect.gen(function*() {
        if (!isNarrow(filter)) {
          const size = yield* sizes.get(Data.struct({ org: scope.org, namespace: scope.namespace }))
          if (size > options.smallScope) {
            const rows = yield* read(all(limit * SPARE))
            const served = unique(yield* Effect.map(isServed(scope, filter, rows), (test) => rows.filter(test)))
            if (served.length >= limit || rows.length < limit * SPARE) return served.slice(0, limit)
          }
        }
        return unique(yield* read(servedOnly(limit)))
      })

    const words = <Row extends Words.WordRow, Hit extends WordHit>(
      rows: ReadonlyArray<Row>,
      hit: (row: Row) => Hit
    ): WordAnswer<Hit> => ({
      corpus: {
        rows: rows[0]?.corpus_rows ?? 0,
        meanLength: (rows[0]?.corpus_words ?? 0) / Math.max(rows[0]?.corpus_rows ?? 0, 1),
        holding: rows[0]?.holding ?? []
      },
      hits: rows.map(hit)
    })

    const wordHit = (row: Words.WordRow): WordHit => ({
      place: placeOf(row),
      terms: { counts: row.counts, length: row.words }
    })

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
        return rows.map((row): VectorHit => ({
          place: placeOf(row),
          cosines: { value: row.of_value, key: row.of_key }
        }))
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
        return words(rows, wordHit)
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
        return words(rows, (row): PassageHit => ({
          ...wordHit(row),
          passage: { chunk_index: row.chunk_index, start: row.start_at, end: row.end_at }
        }))
      }),
      heads: Effect.fn("SearchIndex.heads")(function*(scope, filter, places) {
        if (places.length === 0) return []
        const wanted = new Set(places.map(placeKey))
        const rows = yield* clickhouse.query(Rows.heads(scope, filter, places), Rows.HeadRow)
        return rows.filter((row) => wanted.has(placeKey(row)))
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

/** The first row of each place; rows come best first. */
const unique = <Row extends Place>(rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const key = placeKey(row)
    return seen.has(key) ? false : (seen.add(key), true)
  })
}
