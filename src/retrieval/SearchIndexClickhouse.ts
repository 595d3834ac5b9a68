/**
 * `SearchIndex` on ClickHouse. Where a caller's slice of a scope is small, a leg counts and ranks the texts of served
 * heads alone. In a large one it ranks all derived rows, which needs no join, and then asks which of the best are served;
 * when too few are, or the filter is narrow, it ranks the served ones. All ways give the same rows; in a large slice and
 * at another time the corpus of BM25 counts retired texts too.
 */
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Corpus } from "../platform/Bm25.ts"
import { Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import * as EntityGraph from "./EntityGraphClickhouse.ts"
import { isNarrow } from "./SearchFilterClickhouse.ts"
import type { Writers } from "./SearchFilterClickhouse.ts"
import { SearchIndex } from "./SearchIndex.ts"
import type { DerivedText, PassageHit, PlaceMap, VectorHit, WordAnswer, WordHit } from "./SearchIndex.ts"
import { isOfPast, placeKey } from "./SearchModel.ts"
import type { Head, HiddenHead, Place, SearchFilter } from "./SearchModel.ts"
import * as Rows from "./SearchRowsClickhouse.ts"
import { countsOfWords } from "./SearchTerms.ts"
import type { TermGroup } from "./SearchTerms.ts"
import * as VectorLeg from "./VectorLegClickhouse.ts"
import * as Words from "./WordsClickhouse.ts"

export interface IndexOptions {
  /** How many derived rows a caller's slice of a scope may have to count as small. */
  readonly smallScope: number
}

// Up to here the join with the heads costs about what the second statement does.
export const defaultOptions: IndexOptions = { smallScope: 10_000 }

// How many of the best rows are looked at for each one wanted: a third may be retired before the join is needed.
const SPARE = 1.5
// A scope's size is only used to choose the way, so it may be old.
const SIZE_AGE = "30 seconds"
const SIZES_KEPT = 4_096

export const make = (options: IndexOptions): Effect.Effect<SearchIndex["Type"], never, Clickhouse> =>
  Effect.gen(function*() {
    const clickhouse = yield* Clickhouse
    const graph = yield* EntityGraph.make(clickhouse)

    const sizes = yield* Cache.make({
      capacity: SIZES_KEPT,
      timeToLive: SIZE_AGE,
      lookup: (slice: Scope & Writers) =>
        Effect.map(clickhouse.query(Rows.size(slice), Rows.SizeRow), (rows) => rows[0]?.rows ?? 0)
    })

    // Rows of another embedder come with a change of embedder, that is with a start of the process, and seldom go.
    const others = yield* Cache.make({
      capacity: SIZES_KEPT,
      timeToLive: SIZE_AGE,
      lookup: ({ embedderId, slice }: { readonly slice: Scope & Writers; readonly embedderId: string }) =>
        Effect.map(clickhouse.query(Rows.ofOthers(slice, embedderId), Rows.SizeRow), (rows) => rows[0]?.rows ?? 0)
    })

    // That a scope has passages stays true but for an erasure; that it has none ends with the next long value.
    const passaged = yield* Cache.make({
      capacity: SIZES_KEPT,
      timeToLive: SIZE_AGE,
      lookup: (scope: Scope) =>
        Effect.map(clickhouse.query(Rows.anyPassage(scope), Rows.SizeRow), (rows) => (rows[0]?.rows ?? 0) > 0)
    })

    /** Each row whose place is a served head, with that head, one row a place, in their order; and the hidden heads. */
    const withHeads = <Row extends Place>(
      scope: Scope,
      filter: SearchFilter,
      rows: ReadonlyArray<Row>
    ): Effect.Effect<Seen<Row>, StoreError> =>
      rows.length === 0
        ? Effect.succeed({ found: [], passed: [], rows })
        : Effect.map(clickhouse.query(Rows.heads(scope, filter, rows), Rows.StandingRow), (standing) => {
          const served = new Map<string, Head>()
          const hidden = new Map<string, HiddenHead>()
          for (const { ended, is_hidden, is_served, ...head } of standing) {
            if (is_served) served.set(placeKey(head), head)
            else if (is_hidden) hidden.set(placeKey(head), { ...head, ended })
          }
          const seen = new Map(rows.toReversed().map((row) => [placeKey(row), row]))
          return {
            found: rows.flatMap((row): ReadonlyArray<Found<Row>> => {
              const head = served.get(placeKey(row))
              return head === undefined || seen.get(placeKey(row)) !== row ? [] : [{ row, head }]
            }),
            passed: [...hidden].flatMap(([key, head]) => seen.has(key) ? [head] : []),
            rows
          }
        })

    /** The best `limit` served rows, in the way that costs least; see the head of this file. */
    const bestServed = <Row extends Place, I>(
      scope: Scope,
      filter: SearchFilter,
      limit: number,
      row: Schema.Schema<Row, I>,
      ways: Ways,
      counted: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>
    ): Effect.Effect<Seen<Row>, StoreError> =>
      Effect.gen(function*() {
        const read = (statement: Statement) => clickhouse.query(statement, row)
        const slice = sliceOf(scope, filter)
        // The cache would keep a failure too, and the legs would fail with it.
        const size = yield* Effect.tapError(sizes.get(slice), () => sizes.invalidate(slice))
        // Which versions answer costs more to work out than to rank around: it is asked of the best rows first.
        const isSmall = size <= options.smallScope && !isOfPast(filter)
        const among = (statement: Statement) =>
          Effect.flatMap(read(statement), (rows) => withHeads(scope, filter, counted(rows)))
        if (isSmall && ways.ofServed !== null) return yield* among(ways.ofServed(limit))
        let before: Seen<Row> = { found: [], passed: [], rows: [] }
        // In a small slice what a narrow filter leaves out is cheap to look at, and tells what of it is hidden.
        if (isSmall || !isNarrow(filter)) {
          const depth = Math.ceil(limit * SPARE)
          const rows = yield* read(ways.all(depth))
          const seen = yield* withHeads(scope, filter, counted(rows))
          if (seen.found.length >= limit || rows.length < depth) {
            return { ...seen, found: seen.found.slice(0, limit) }
          }
          before = seen
        }
        const { found, rows } = yield* among(ways.served(limit))
        return { found, passed: before.passed, rows: [...before.rows, ...rows] }
      })

    const answer = <Row extends Words.WordRow, Hit extends WordHit>(
      { found, passed, rows }: Seen<Row>,
      hit: (found: Found<Row>) => Hit,
      text: (row: Row) => ReadonlyArray<DerivedText>
    ): WordAnswer<Hit> => ({ corpus: corpusOf(found[0]?.row), hits: found.map(hit), passed, read: readIn(rows, text) })

    const wordWays = (
      texts: Words.Texts,
      scope: Scope,
      filter: SearchFilter,
      terms: ReadonlyArray<TermGroup>
    ): Ways => ({
      all: (limit) => Words.best(texts, scope, filter, terms, limit),
      served: (limit) => Words.bestServed(texts, scope, filter, terms, limit),
      ofServed: (limit) => Words.bestOfServed(texts, scope, filter, terms, limit)
    })

    return {
      ...graph,
      vector: Effect.fn("SearchIndex.vector")(function*(scope, filter, query, terms, limit) {
        const near = { query, terms }
        const { found, passed, rows } = yield* bestServed(scope, filter, limit, VectorLeg.NearRow, {
          all: (limit) => VectorLeg.nearest(scope, filter, near, limit),
          served: (limit) => VectorLeg.nearestServed(scope, filter, near, limit),
          ofServed: null
        }, (rows) => rows.map(byWords(terms)))
        return {
          hits: found.map(({ head, row }): VectorHit => ({ head, cosines: { value: row.of_value, key: row.of_key } })),
          passed,
          read: readIn(rows, (row): ReadonlyArray<DerivedText> => [{
            cosines: { value: row.of_value, key: row.of_key },
            terms: { counts: row.counts, length: row.words },
            excerpt: row.excerpt
          }])
        }
      }),
      lexical: Effect.fn("SearchIndex.lexical")(function*(scope, filter, terms, limit) {
        const ways = wordWays(Words.excerpts, scope, filter, terms)
        return answer(
          yield* bestServed(scope, filter, limit, Words.ExcerptRow, ways, holding(terms)),
          wordHit,
          (row) => [{
            vectors: { embedderId: row.embedder_id, value: row.value_numbers, key: row.key_numbers },
            terms: { counts: row.counts, length: row.words },
            excerpt: row.excerpt
          }]
        )
      }),
      chunks: Effect.fn("SearchIndex.chunks")(function*(scope, filter, terms, limit) {
        // Few scopes have long values, and this look costs a fifth of the statement.
        const key = Data.struct({ org: scope.org, namespace: scope.namespace })
        const some = yield* Effect.tapError(passaged.get(key), () => passaged.invalidate(key))
        // What is kept is only that there are some.
        if (!some) yield* passaged.invalidate(key)
        if (!some) return { corpus: corpusOf(undefined), hits: [], passed: [], read: new Map() }
        const ways = wordWays(Words.passages, scope, filter, terms)
        const seen = yield* bestServed(scope, filter, limit, Words.PassageRow, ways, holding(terms))
        return answer(seen, (found): PassageHit => ({
          ...wordHit(found),
          passage: { chunk_index: found.row.chunk_index, start: found.row.start_at, end: found.row.end_at }
        }), () => [])
      }),
      pending: Effect.fn("SearchIndex.pending")(function*(scope, filter, embedderId) {
        const key = Data.struct({ slice: sliceOf(scope, filter), embedderId })
        const some = yield* Effect.tapError(others.get(key), () => others.invalidate(key))
        if (some === 0) return 0
        const [row] = yield* clickhouse.query(Rows.notEmbedded(scope, filter, embedderId), Rows.SizeRow)
        return row?.rows ?? 0
      }),
      byIds: Effect.fn("SearchIndex.byIds")(function*(scope, filter, ids) {
        return ids.length === 0 ? [] : yield* clickhouse.query(Rows.byIds(scope, filter, ids), Rows.HeadRow)
      }),
      derived: Effect.fn("SearchIndex.derived")(function*(scope, places, query, terms) {
        if (places.length === 0) return new Map()
        const rows = yield* clickhouse.query(Rows.derived(scope, places, query, terms), Rows.DerivedRow)
        return byPlace(rows, ({ counts, excerpt, is_compared, of_key, of_value, words }) => ({
          cosines: is_compared ? { value: of_value, key: of_key } : undefined,
          terms: { counts: countsOfWords(terms, counts), length: words },
          excerpt
        }))
      }),
      passages: Effect.fn("SearchIndex.passages")(function*(scope, places, terms) {
        if (places.length === 0) return new Map()
        const rows = yield* clickhouse.query(Rows.passageTexts(scope, places, terms), Rows.TextRow)
        return byPlace(rows, ({ passages }) => passages.map(([start, text]) => ({ start, text })))
      })
    }
  })

export const layerWith = (options: IndexOptions): Layer.Layer<SearchIndex, never, Clickhouse> =>
  Layer.effect(SearchIndex, make(options))

export const layer: Layer.Layer<SearchIndex, never, Clickhouse> = layerWith(defaultOptions)

const sliceOf = ({ namespace, org }: Scope, { agent, session_ids, user_id }: SearchFilter): Scope & Writers =>
  Data.struct({ org, namespace, agent, user_id, session_ids: Data.array(session_ids) })

const byPlace = <Row extends Place, A>(rows: ReadonlyArray<Row>, value: (row: Row) => A): PlaceMap<A> =>
  new Map(rows.map((row) => [placeKey(row), value(row)]))

/** A row whose counts are those of whole words, see `countsOfWords`. */
const byWords = (terms: ReadonlyArray<TermGroup>) => <Row extends Pick<Words.WordRow, "counts">>(row: Row): Row => ({
  ...row,
  counts: countsOfWords(terms, row.counts)
})

/** The rows that hold a word of the question and not only a part of one. */
const holding =
  (terms: ReadonlyArray<TermGroup>) => <Row extends Pick<Words.WordRow, "counts">>(rows: ReadonlyArray<Row>) =>
    rows.map(byWords(terms)).filter(({ counts }) => counts.some((count) => count > 0))

/**
 * A leg's statements: over all derived rows, over those of served places, and with a corpus of these alone, where there
 * is a corpus.
 */
interface Ways {
  readonly all: (limit: number) => Statement
  readonly served: (limit: number) => Statement
  readonly ofServed: ((limit: number) => Statement) | null
}

interface Found<Row> {
  readonly row: Row
  readonly head: Head
}

/** What a leg looked at: the served rows, and what would be served but for its state. */
interface Seen<Row> {
  readonly found: ReadonlyArray<Found<Row>>
  readonly passed: ReadonlyArray<HiddenHead>
  /** All that was read. */
  readonly rows: ReadonlyArray<Row>
}

const readIn = <Row extends Place>(
  rows: ReadonlyArray<Row>,
  text: (row: Row) => ReadonlyArray<DerivedText>
): PlaceMap<DerivedText> =>
  new Map(rows.flatMap((row) => text(row).map((text): readonly [string, DerivedText] => [placeKey(row), text])))

const wordHit = ({ head, row }: Found<Words.WordRow>): WordHit => ({
  head,
  terms: { counts: row.counts, length: row.words }
})

const corpusOf = (row: Words.WordRow | undefined): Corpus =>
  row === undefined
    ? { rows: 0, meanLength: 0, holding: [] }
    : { rows: row.corpus_rows, meanLength: row.corpus_words / Math.max(row.corpus_rows, 1), holding: row.holding }
