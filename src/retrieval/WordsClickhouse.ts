/**
 * BM25 in one statement, over the excerpts of memories or over the passages of long values: counts, corpus and rank come
 * from the same rows. A word group stands in a text as its stem or as one of its lemmas, whichever is more often. The
 * order is that of `Bm25.share`; the counts go back to the caller, who computes the share itself.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { B, K1 } from "../platform/Bm25.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { countsOf, holdsAny } from "../platform/ClickhouseTerms.ts"
import { isServedPlace, placeColumns, PlaceFields, scanSettings, within } from "./SearchFilterClickhouse.ts"
import type { SearchFilter } from "./SearchModel.ts"
import type { TermGroup } from "./SearchTerms.ts"

/** A table of texts: its name, what tells two texts of one place apart, and how one place gives one row. */
export interface Texts {
  readonly table: Fragment
  readonly within: Fragment
  readonly onePerPlace: Fragment
  /** What else is read of the texts that are answered. */
  readonly beside: Fragment
  readonly shown: Fragment
}

export const excerpts: Texts = {
  table: ch.identifier("loom", "memory_embeddings"),
  within: ch.empty,
  onePerPlace: ch.empty,
  beside: ch.fragment`, embedder_id, value_bytes, key_bytes, excerpt`,
  // As text, since an array of a thousand numbers costs more to decode than all the rest of a row.
  shown: ch
    .fragment`, embedder_id, toString(value_bytes) AS value_numbers, toString(key_bytes) AS key_numbers, excerpt`
}

/** A long value has hundreds of passages; all but its best would crowd out other memories. */
export const passages: Texts = {
  table: ch.identifier("loom", "memory_chunks"),
  within: ch.fragment`, chunk_index, start_at, end_at`,
  onePerPlace: ch.fragment`LIMIT 1 BY ${placeColumns}`,
  beside: ch.empty,
  shown: ch.empty
}

const WordFields = {
  ...PlaceFields,
  counts: Schema.Array(Schema.Number),
  words: Schema.Number,
  holding: Schema.Array(Schema.Number),
  corpus_rows: Schema.Number,
  corpus_words: Schema.Number
}

export const WordRow = Schema.Struct(WordFields)
export type WordRow = typeof WordRow.Type

const Numbers = Schema.parseJson(
  Schema.declare((value): value is ReadonlyArray<number> => Array.isArray(value) && value.every(Number.isInteger))
)

export const ExcerptRow = Schema.Struct({
  ...WordFields,
  embedder_id: Schema.String,
  value_numbers: Numbers,
  key_numbers: Numbers,
  excerpt: Schema.String
})
export type ExcerptRow = typeof ExcerptRow.Type

export const PassageRow = Schema.Struct({
  ...WordFields,
  chunk_index: Schema.Number,
  start_at: Schema.Number,
  end_at: Schema.Number
})

// A text may stand twice: two generations of an embedder, or a repeated insert that is not merged yet.
const once = (texts: Texts): Fragment => ch.fragment`LIMIT 1 BY ${placeColumns}${texts.within}`

/** Where the served places are asked for: among the texts that are counted, or only among those that are ranked. */
interface Among {
  readonly counted: Fragment
  readonly ranked: Fragment
  /** How a text that stands twice is counted once; where every text of a large scope is counted, it is not worth it. */
  readonly once: Fragment
}

/** How many texts are counted, their words, and in how many each group stands: one look at the words, one row. */
const corpus = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  among: Among
): Fragment =>
  ch.fragment`SELECT (toUInt32(count()), toFloat64(sum(words)), sumForEach(arrayMap(count -> toUInt32(count > 0), counts)))
      FROM (
        SELECT ${countsOf(terms)} AS counts, stems.size0 AS words FROM ${texts.table} PREWHERE ${
    within(scope, filter)
  } WHERE ${among.counted} ${among.once}
      )`

/**
 * The corpus is counted first and the rows are ranked by what is then a constant. So only the best rows are read whole:
 * where the counts of all matches stood beside each of them, every match was carried with its names.
 */
const rank = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  limit: number,
  among: Among
): Statement =>
  ch.sql("SearchIndex.words", scanSettings)`
    WITH assumeNotNull((${corpus(texts, scope, filter, terms, among)})) AS corpus,
      corpus.1 AS corpus_rows, corpus.2 AS corpus_words, CAST(corpus.3, 'Array(UInt32)') AS holding,
      greatest(corpus_words / corpus_rows, 1) AS mean_words,
      arrayMap(held -> log(1 + (greatest(corpus_rows - held, 0) + 0.5) / (held + 0.5)), holding) AS rarity,
      ${ch.float64(K1)} * (${ch.float64(1 - B)} + ${ch.float64(B)} * words / mean_words) AS norm
    SELECT ${placeColumns}${texts.within}, counts, words, holding, corpus_rows, corpus_words${texts.shown}
    FROM (
      SELECT ${placeColumns}${texts.within}, version, ${countsOf(terms)} AS counts, toUInt32(stems.size0) AS words,
        arraySum((rare, count) -> rare * count / (count + norm), rarity, counts) AS score${texts.beside}
      FROM ${matching(texts, scope, filter, terms, among)}
      ORDER BY score DESC, version DESC ${texts.onePerPlace}
      LIMIT ${ch.uint32(limit)}
    )
    ORDER BY score DESC, version DESC`

/** The texts that hold a word, each once where that is asked; straight from the table it reads only the best ones whole. */
const matching = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  { once, ranked }: Among
): Fragment => {
  const rows = ch.fragment`${texts.table} PREWHERE ${within(scope, filter)} WHERE ${holdsAny(terms)} AND ${ranked}`
  return once === ch.empty
    ? rows
    : ch.fragment`(SELECT ${placeColumns}${texts.within}, version, terms, stems${texts.beside} FROM ${rows} ${once})`
}

const all = ch.fragment`true`

/** Every text of the scope is counted and ranked, retired ones too; whoever asks checks the heads. */
export const best = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  limit: number
): Statement => rank(texts, scope, filter, terms, limit, { counted: all, ranked: all, once: ch.empty })

/** Every text of the scope is counted, those of served places are ranked. */
export const bestServed = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  limit: number
): Statement =>
  rank(texts, scope, filter, terms, limit, { counted: all, ranked: isServedPlace(scope, filter), once: ch.empty })

/** Only the texts of served places are counted and ranked. */
export const bestOfServed = (
  texts: Texts,
  scope: Scope,
  filter: SearchFilter,
  terms: ReadonlyArray<TermGroup>,
  limit: number
): Statement =>
  rank(texts, scope, filter, terms, limit, {
    counted: isServedPlace(scope, filter),
    ranked: isServedPlace(scope, filter),
    once: once(texts)
  })
