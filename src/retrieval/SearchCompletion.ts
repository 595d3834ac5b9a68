/**
 * What one leg found, completed by what the others would have said of it: a memory that the words brought gets its
 * cosine, one that the vector brought gets its word counts, so that all candidates are judged by the same evidence. One
 * reading serves them all, hidden ones too, and brings the excerpts along.
 */
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type * as Fusion from "./Fusion.ts"
import type { DerivedText, PlaceMap, QueryVector, SearchIndex } from "./SearchIndex.ts"
import type { LegAnswer, LegHit } from "./SearchLeg.ts"
import { placeKey } from "./SearchModel.ts"
import type { Cosines, Head, Question } from "./SearchModel.ts"

/** What is known of a place, by `placeKey`. */
export type Known = ReadonlyMap<string, Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage" | "digest">>>

export interface Completed {
  readonly candidates: ReadonlyArray<Fusion.Candidate>
  readonly excerpts: PlaceMap<string>
}

/**
 * Completes heads: with cosines when there is a query vector, with word counts when the lexical leg answered. What the
 * legs read beside their hits is enough for most; the rest is read by place, in one statement.
 */
export const complete = (
  index: Pick<SearchIndex["Type"], "derived">,
  { scope, terms }: Question,
  query: QueryVector | null,
  lexical: boolean,
  heads: ReadonlyArray<Head>,
  known: Known,
  read: PlaceMap<DerivedText>
): Effect.Effect<Completed, StoreError> => {
  const texts = new Map(heads.flatMap((head) => {
    const key = placeKey(head)
    const text = read.get(key)
    if (text === undefined) return []
    const cosines = known.get(key)?.cosines ?? text.cosines ?? cosinesOf(text, query)
    const counted = known.get(key)?.terms ?? text.terms
    const isWhole = (query === null || cosines !== undefined) && (!lexical || counted !== undefined)
    return isWhole ? [[key, { cosines, terms: counted, excerpt: text.excerpt }] as const] : []
  }))
  const missing = heads.filter((head) => !texts.has(placeKey(head)))
  return Effect.map(index.derived(scope, missing, query, lexical ? terms : []), (derived) => ({
    candidates: heads.map((head): Fusion.Candidate => {
      const key = placeKey(head)
      const [said, found] = [known.get(key), texts.get(key) ?? derived.get(key)]
      return {
        head,
        cosines: query === null ? undefined : said?.cosines ?? found?.cosines,
        terms: lexical ? said?.terms ?? found?.terms : undefined,
        passage: said?.passage,
        digest: said?.digest
      }
    }),
    excerpts: new Map([...derived, ...texts].map(([key, { excerpt }]) => [key, excerpt]))
  }))
}

/** What was read of each place by any leg; what one of them could not know the other did. */
export const readOf = (answers: ReadonlyArray<LegAnswer>): PlaceMap<DerivedText> => {
  const texts = new Map<string, DerivedText>()
  for (const { read } of answers) {
    for (const [key, text] of read ?? []) {
      const other = texts.get(key)
      texts.set(key, {
        excerpt: text.excerpt,
        cosines: other?.cosines ?? text.cosines,
        vectors: other?.vectors ?? text.vectors,
        terms: other?.terms ?? text.terms
      })
    }
  }
  return texts
}

const cosinesOf = ({ vectors }: DerivedText, query: QueryVector | null): Cosines | undefined =>
  vectors === undefined || query === null || vectors.embedderId !== query.embedderId
    ? undefined
    : { value: cosine(vectors.value, query.vector), key: cosine(vectors.key, query.vector) }

/** As `VectorLegClickhouse` takes it: the question's vector has length one, the other one a scale of its own. */
const cosine = (small: ReadonlyArray<number>, question: Float32Array): number => {
  let [product, square] = [0, 0]
  small.forEach((number, at) => {
    product += number * (question[at] ?? 0)
    square += number * number
  })
  return product / Math.max(Math.sqrt(square), 1)
}

/** Each memory once; of two versions that legs saw a moment apart, the later. Of `earlier` values each once. */
export const headsOf = (hits: ReadonlyArray<LegHit>, earlier = false): ReadonlyArray<Head> => {
  const heads = new Map<string, Head>()
  for (const { head } of hits) {
    const key = earlier ? placeKey(head) : identityKey(head)
    const other = heads.get(key)
    if (other === undefined || other.version < head.version) heads.set(key, head)
  }
  return [...heads.values()]
}

/** What the legs said of each place, together. */
export const knownOf = (hits: ReadonlyArray<LegHit>): Known => {
  const known = new Map<string, ReturnType<typeof partOf>>()
  for (const hit of hits) {
    const key = placeKey(hit.head)
    known.set(key, { ...known.get(key), ...partOf(hit) })
  }
  return known
}

const partOf = (
  { cosines, digest, passage, score, terms }: LegHit
): Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage" | "digest">> =>
  digest !== undefined
    ? { digest: score }
    : passage !== undefined
    ? { passage: { at: passage, share: score, counts: terms?.counts ?? [] } }
    : cosines !== undefined
    ? { cosines }
    : terms !== undefined
    ? { terms }
    : {}
