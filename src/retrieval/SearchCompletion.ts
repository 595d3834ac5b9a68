/**
 * What one leg found, completed by what the others would have said of it: a memory that the words brought gets its
 * cosine, one that the vector brought gets its word counts, so that all candidates are judged by the same evidence. One
 * reading serves them all, hidden ones too, and brings the excerpts along.
 */
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type * as Fusion from "./Fusion.ts"
import type { PlaceMap, QueryVector, SearchIndex } from "./SearchIndex.ts"
import type { LegHit } from "./SearchLeg.ts"
import { placeKey } from "./SearchModel.ts"
import type { Head, Question } from "./SearchModel.ts"

/** What is known of a place, by `placeKey`. */
export type Known = ReadonlyMap<string, Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage">>>

export interface Completed {
  readonly candidates: ReadonlyArray<Fusion.Candidate>
  readonly excerpts: PlaceMap<string>
}

/** Completes heads: with cosines when there is a query vector, with word counts when the lexical leg answered. */
export const complete = (
  index: Pick<SearchIndex["Type"], "derived">,
  { scope, terms }: Question,
  query: QueryVector | null,
  lexical: boolean,
  heads: ReadonlyArray<Head>,
  known: Known
): Effect.Effect<Completed, StoreError> =>
  Effect.map(index.derived(scope, heads, query, lexical ? terms : []), (derived) => ({
    candidates: heads.map((head): Fusion.Candidate => {
      const [said, read] = [known.get(placeKey(head)), derived.get(placeKey(head))]
      return {
        head,
        cosines: said?.cosines ?? read?.cosines,
        terms: said?.terms ?? (lexical ? read?.terms : undefined),
        passage: said?.passage
      }
    }),
    excerpts: new Map([...derived].map(([key, { excerpt }]) => [key, excerpt]))
  }))

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
