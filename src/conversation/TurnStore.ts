/**
 * The port that keeps turns. A turn is written once: the same id again changes nothing, so whoever is unsure whether a
 * write arrived writes again. Searchable copies are written before the turn and served only with it. Everything takes the
 * scope first, and the one user whose turns may be seen (null sees every user's).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { IndexedTurn, Turn, TurnRole } from "./TurnModel.ts"

/** Which turns are meant; null stands for any. */
export interface TurnFilter {
  readonly user_id: string | null
  readonly agent: string | null
  /** Empty means every session. */
  readonly session_ids: ReadonlyArray<string>
  readonly run_id: string | null
  readonly role: TurnRole | null
  readonly speaker: string | null
  /** Milliseconds, of when a turn was said, else stored: [since, until). */
  readonly since: number | null
  readonly until: number | null
}

/** Where a page of turns goes on: behind this place. */
export interface TurnPlace {
  readonly session_id: string
  readonly position: bigint
  readonly turn_id: string
}

export interface SessionFacts {
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly turns: number
  readonly speakers: ReadonlyArray<string>
  /** Milliseconds, of when turns were said, else stored. */
  readonly first_at: number
  readonly last_at: number
}

/** What a search asks: the query's vector and words; either may be empty. */
export interface TurnQuestion {
  readonly vector: Float32Array | null
  readonly stems: ReadonlyArray<string>
  readonly lemmas: ReadonlyArray<string>
}

export interface FoundTurn {
  readonly turn: Turn
  /** The part that matched best. */
  readonly start: number
  readonly end: number
  /** Cosine with the question; null when it was not compared. */
  readonly cosine: number | null
  /** What the words are worth (BM25); 0 when none stands in it. */
  readonly lexical: number
}

export class TurnStore extends Context.Tag("loom/conversation/TurnStore")<TurnStore, {
  /** Stores turns whose ids are not there; answers the ids that were there already (deleted ones among them). */
  readonly append: (
    scope: Scope,
    turns: ReadonlyArray<IndexedTurn>
  ) => Effect.Effect<ReadonlySet<string>, StoreError>
  /** In the order of session and position. */
  readonly page: (
    scope: Scope,
    filter: TurnFilter,
    after: TurnPlace | null,
    limit: number,
    order: "oldest" | "newest"
  ) => Effect.Effect<ReadonlyArray<Turn>, StoreError>
  /** The turns of these ids that are there, in the order of the ids. */
  readonly byIds: (
    scope: Scope,
    user_id: string | null,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Turn>, StoreError>
  readonly sessions: (
    scope: Scope,
    filter: TurnFilter,
    page: { readonly after: { readonly last_at: number; readonly session_id: string } | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<SessionFacts>, StoreError>
  /** Best first, at most `limit`, each turn once; by cosine and words, whatever the order of the two. */
  readonly search: (
    scope: Scope,
    filter: TurnFilter,
    question: TurnQuestion,
    embedder_id: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundTurn>, StoreError>
  /** Takes turns out with all their copies, for good; answers how many were there. */
  readonly remove: (
    scope: Scope,
    turns: ReadonlyArray<Turn>
  ) => Effect.Effect<number, Unavailable>
}>() {}
