/**
 * The parts of turns that are closest to a question, and those that hold most of its words (BM25, as `Bm25.share` orders):
 * one statement each, one row a turn. As for memories (ADR 0015) the signs of the vectors choose some hundred parts, and
 * their 8-bit numbers put these into order. A part stands for its turn only while that is there, which whoever asks looks up.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { B, K1 } from "../platform/Bm25.ts"
import type { Corpus } from "../platform/Bm25.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { countsOf, holdsAny } from "../platform/ClickhouseTerms.ts"
import type { WordForms } from "../platform/ClickhouseTerms.ts"
import { atKeys, keyColumns, ofWriters, passing } from "./TurnRowsClickhouse.ts"
import type { TurnKey } from "./TurnRowsClickhouse.ts"
import type { TurnFilter, TurnQuestion } from "./TurnStore.ts"

const PartFields = {
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  turn_id: Schema.String,
  start_at: Schema.Number,
  end_at: Schema.Number,
  counts: Schema.Array(Schema.Number),
  words: Schema.Number
}

export const NearRow = Schema.Struct({ ...PartFields, cosine: Schema.Number })

export const WordRow = Schema.Struct({
  ...PartFields,
  holding: Schema.Array(Schema.Number),
  corpus_rows: Schema.Number,
  corpus_words: Schema.Number
})

export const corpusOf = (row: typeof WordRow.Type | undefined): Corpus =>
  row === undefined
    ? { rows: 0, meanLength: 0, holding: [] }
    : { rows: row.corpus_rows, meanLength: row.corpus_words / Math.max(row.corpus_rows, 1), holding: row.holding }

/**
 * How many parts the signs choose for each turn wanted, and how many at least, as for memories. A slice of no more is
 * compared whole.
 */
const DEPTH = 10
const LEAST_DEPTH = 500

/** The turns with the closest parts, each with that part; `among` bounds which turns are looked at. */
export const nearest = (
  scope: Scope,
  filter: TurnFilter,
  { embedderId, numbers }: NonNullable<TurnQuestion["vector"]>,
  groups: ReadonlyArray<WordForms>,
  limit: number,
  among: ReadonlyArray<TurnKey> | null
): Statement =>
  ch.sql("TurnStore.nearest")`
    WITH ${ch.array("Float32", Array.from(numbers))} AS question,
      unbin(arrayStringConcat(arrayMap(x -> if(x > 0, '1', '0'), question))) AS question_signs
    SELECT ${keyColumns}, best.1 AS start_at, best.2 AS end_at, best.3 AS counts, best.4 AS words, closest AS cosine
    FROM (
      SELECT ${keyColumns}, max(near) AS closest, argMax(part, near) AS best FROM (
        SELECT ${keyColumns}, dotProduct(bytes, question) / greatest(L2Norm(bytes), 1) AS near,
          (start_at, end_at, ${countsOf(groups)}, words) AS part
        FROM (
          SELECT ${keyColumns}, start_at, end_at, bytes, terms, toUInt32(stems.size0) AS words
          FROM loom.conversation_chunks
          PREWHERE ${ofWriters(scope, filter)} AND embedder_id = ${ch.string(embedderId)} ${
    among === null ? ch.empty : ch.fragment`AND ${atKeys(among)}`
  }
          WHERE ${passing(scope, filter)}
          ORDER BY bitHammingDistance(signs, question_signs), position DESC
          LIMIT ${ch.uint32(Math.max(LEAST_DEPTH, DEPTH * limit))}
        )
      ) GROUP BY ${keyColumns} ORDER BY closest DESC, turn_id LIMIT ${ch.uint32(limit)}
    )`

// A part may stand twice: two generations of an embedder, or a repeated insert that is not merged yet.
const once = ch.fragment`LIMIT 1 BY turn_id, chunk_index`

/** The turns that hold a word, best first, each with its best part. */
export const wordiest = (
  scope: Scope,
  filter: TurnFilter,
  groups: ReadonlyArray<WordForms>,
  limit: number
): Statement =>
  ch.sql("TurnStore.wordiest")`
    WITH assumeNotNull((
        SELECT (toUInt32(count()), toFloat64(sum(words)), sumForEach(arrayMap(count -> toUInt32(count > 0), counts)))
        FROM (
          SELECT ${countsOf(groups)} AS counts, stems.size0 AS words FROM loom.conversation_chunks
          PREWHERE ${ofWriters(scope, filter)} ${once}
        )
      )) AS corpus,
      corpus.1 AS corpus_rows, corpus.2 AS corpus_words, CAST(corpus.3, 'Array(UInt32)') AS holding,
      greatest(corpus_words / corpus_rows, 1) AS mean_words,
      arrayMap(held -> log(1 + (greatest(corpus_rows - held, 0) + 0.5) / (held + 0.5)), holding) AS rarity,
      ${ch.float64(K1)} * (${ch.float64(1 - B)} + ${ch.float64(B)} * words / mean_words) AS norm
    SELECT ${keyColumns}, start_at, end_at, counts, words, holding, corpus_rows, corpus_words
    FROM (
      SELECT ${keyColumns}, start_at, end_at, ${countsOf(groups)} AS counts, toUInt32(stems.size0) AS words,
        arraySum((rare, count) -> rare * count / (count + norm), rarity, counts) AS score
      FROM loom.conversation_chunks
      PREWHERE ${ofWriters(scope, filter)}
      WHERE ${holdsAny(groups)} AND ${passing(scope, filter)}
      ORDER BY score DESC, turn_id LIMIT 1 BY turn_id LIMIT ${ch.uint32(limit)}
    )`
