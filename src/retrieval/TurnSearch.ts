/**
 * The search of turns: by meaning and by word side by side, ranked (`TurnRank`), each hit with the sentences that speak to
 * the question. Without the embedder the words alone answer, and the answer says so.
 */
import * as Effect from "effect/Effect"
import type { Turn } from "../conversation/TurnModel.ts"
import { TurnStore } from "../conversation/TurnStore.ts"
import type { TurnFilter } from "../conversation/TurnStore.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { Embedder } from "../platform/Embedder.ts"
import { excerptOf } from "./Excerpt.ts"
import type { Excerpt } from "./Excerpt.ts"
import * as SearchAdmission from "./SearchAdmission.ts"
import { termGroups } from "./SearchTerms.ts"
import { rankTurns } from "./TurnRank.ts"
import type { RankedTurn } from "./TurnRank.ts"

// As of memories: 15 of each way gave the answers that all rows give.
const LEAST_DEPTH = 30

export interface TurnSearchRequest {
  readonly scope: Scope
  readonly filter: TurnFilter
  readonly text: string
  readonly limit: number
  /** Longest excerpt, in UTF-16 units. */
  readonly excerptLength: number
  /** Whether a turn of this relevance may be a hit. */
  readonly isEnough: (relevance: number) => boolean
}

export interface TurnHit extends RankedTurn {
  readonly turn: Turn
  readonly excerpt: Excerpt
}

export interface TurnSearchResult {
  /** Best first. */
  readonly hits: ReadonlyArray<TurnHit>
  /** How many turns were ranked, and the highest relevance of one; 0 when none was found. */
  readonly candidates: number
  readonly confidence: number
  readonly degraded: ReadonlyArray<string>
}

export type TurnSearch = (request: TurnSearchRequest) => Effect.Effect<TurnSearchResult, StoreError | Overloaded>

export const make: Effect.Effect<TurnSearch, never, TurnStore | Embedder> = Effect.gen(function*() {
  const store = yield* TurnStore
  const embedder = yield* Embedder
  const { admit } = yield* SearchAdmission.make

  const find = Effect.fn("TurnSearch.find")(
    function*({ excerptLength, filter, isEnough, limit, scope, text }: TurnSearchRequest) {
      const terms = termGroups(text)
      const vector = yield* Effect.either(embedder.embedQuery(text))
      // A question of which the model knows nothing is compared with nothing.
      const numbers = vector._tag === "Right" && vector.right.some((number) => number !== 0) ? vector.right : null
      const found = yield* store.search(
        scope,
        filter,
        { vector: numbers === null ? null : { embedderId: embedder.id, numbers }, groups: terms },
        Math.max(LEAST_DEPTH, limit * 2)
      )
      const ranked = rankTurns(text, terms, found)
      const best = ranked.filter(({ relevance }) => isEnough(relevance)).slice(0, limit)
      const turns = yield* store.byIds(scope, filter.user_id, best.map(({ found }) => found.turn_id))
      const byId = new Map(turns.map((turn) => [turn.turn_id, turn]))
      return {
        hits: best.flatMap((one): ReadonlyArray<TurnHit> => {
          const { end, start, turn_id } = one.found
          const turn = byId.get(turn_id)
          if (turn === undefined) return []
          const excerpt = excerptOf([{ start, text: turn.content.slice(start, end) }], terms, excerptLength)
          return [{ ...one, turn, excerpt }]
        }),
        candidates: ranked.length,
        confidence: ranked.reduce((best, { relevance }) => Math.max(best, relevance), 0),
        degraded: vector._tag === "Right" ? [] : ["vector_unavailable"]
      }
    }
  )
  return (request) => admit(find(request))
})
