/**
 * What one leg found, completed by what the others would have said of it: a memory that the words brought gets its
 * cosine, one that the vector brought gets its word counts, so that all candidates are judged by the same evidence.
 */
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type * as Fusion from "./Fusion.ts"
import type { QueryVector, SearchIndex } from "./SearchIndex.ts"
import type { LegHit } from "./SearchLeg.ts"
import { placeKey } from "./SearchModel.ts"
import type { Head, Question } from "./SearchModel.ts"

/** What is known of a place, by `placeKey`. */
export type Known = ReadonlyMap<string, Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage">>>

const none = Effect.succeed(new Map<string, never>())

/** Completes heads: with cosines when there is a query vector, with word counts when the lexical leg answered. */
export const make = (
  index: Pick<SearchIndex["Type"], "cosines" | "counts">,
  question: Question,
  query: QueryVector | null,
  lexical: boolean
) =>
(heads: ReadonlyArray<Head>, known: Known): Effect.Effect<ReadonlyArray<Fusion.Candidate>, StoreError> =>
  Effect.gen(function*() {
    const without = (key: "cosines" | "terms") => heads.filter((head) => known.get(placeKey(head))?.[key] === undefined)
    const [cosines, counts] = yield* Effect.all([
      query === null ? none : index.cosines(question.scope, without("cosines"), query),
      lexical ? index.counts(question.scope, without("terms"), question.terms) : none
    ], { concurrency: 2 })
    return heads.map((head): Fusion.Candidate => {
      const key = placeKey(head)
      const found = known.get(key)
      return {
        head,
        cosines: found?.cosines ?? cosines.get(key),
        terms: found?.terms ?? counts.get(key),
        passage: found?.passage
      }
    })
  })

/** Each memory once; of two versions that legs saw a moment apart, the later. */
export const headsOf = (hits: ReadonlyArray<LegHit>): ReadonlyArray<Head> => {
  const heads = new Map<string, Head>()
  for (const { head } of hits) {
    const key = identityKey(head)
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
  { cosines, passage, score, terms }: LegHit
): Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage">> =>
  passage !== undefined
    ? { passage: { at: passage, share: score, counts: terms?.counts ?? [] } }
    : cosines !== undefined
    ? { cosines }
    : terms !== undefined
    ? { terms }
    : {}
