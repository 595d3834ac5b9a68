/**
 * The port that keeps turns. A turn is written once: the same id again changes nothing, so whoever is unsure whether a
 * write arrived writes again. Searchable copies are written before the turn and served only with it. Everything takes the
 * scope first, and the one user whose turns may be seen (null sees every user's). Adapters: `TurnStoreMemory`,
 * `TurnStoreClickhouse`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { Corpus, TermCounts } from "../platform/Bm25.ts"
import type { WordForms } from "../platform/ClickhouseTerms.ts"
import { saidAt } from "./TurnModel.ts"
import type { IndexedTurn, Turn, TurnRole, TurnWriter } from "./TurnModel.ts"

/** Which words must stand in a turn: any of the groups, all of them, or the stems side by side in this order. */
export type TurnWords =
  | { readonly match: "any" | "all"; readonly groups: ReadonlyArray<WordForms> }
  | { readonly match: "phrase"; readonly stems: ReadonlyArray<string> }

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
  /** A turn that is not indexed holds no words. */
  readonly words: TurnWords | null
}

export const anyTurn: TurnFilter = {
  user_id: null,
  agent: null,
  session_ids: [],
  run_id: null,
  role: null,
  speaker: null,
  since: null,
  until: null,
  words: null
}

/** Where a page of turns goes on: behind this place. */
export interface TurnPlace {
  readonly session_id: string
  /** Milliseconds. */
  readonly said_at: number
  readonly position: bigint
  readonly turn_id: string
}

export const placeOf = (turn: Turn): TurnPlace => ({
  session_id: turn.session_id,
  said_at: saidAt(turn),
  position: turn.position,
  turn_id: turn.turn_id
})

export interface TurnPage {
  /** By session and position, or by the time at which turns were said and position. */
  readonly by: "session" | "time"
  /** Whether the last comes first. */
  readonly backwards: boolean
  readonly after: TurnPlace | null
  readonly limit: number
}

export interface SessionFacts {
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly turns: number
  /** Names of who spoke, and the role of those without one, A to Z. */
  readonly speakers: ReadonlyArray<string>
  /** Milliseconds, of when turns were said, else stored. */
  readonly first_at: number
  readonly last_at: number
}

export type SessionPlace = Pick<SessionFacts, "last_at" | "session_id" | "agent" | "user_id">

/** What a search asks: the question's vector and words; either may be missing. */
export interface TurnQuestion {
  readonly vector: { readonly embedderId: string; readonly numbers: Float32Array } | null
  readonly groups: ReadonlyArray<WordForms>
}

/** A turn that was found, without its content: `byIds` reads it. */
export interface FoundTurn {
  readonly turn_id: string
  readonly content_sha256: string
  /** Milliseconds. */
  readonly said_at: number
  /** The part that holds most of the words, else the closest one. */
  readonly start: number
  readonly end: number
  /** Cosine of the question with its closest part; null when none was compared. */
  readonly cosine: number | null
  /** How often each group of words stands in the part. */
  readonly terms: TermCounts
}

export interface FoundTurns {
  /** The parts of the turns of the filter's user, agent and sessions. */
  readonly corpus: Corpus
  readonly turns: ReadonlyArray<FoundTurn>
}

/** What is known of a turn's id: what the turn says, or that it was deleted. */
export type KnownTurn =
  | { readonly deleted: true }
  | ({ readonly deleted: false } & Pick<Turn, "content_sha256" | "role" | "speaker">)

export interface Deletion {
  readonly actor: string
  readonly reason: string
  /** Milliseconds. */
  readonly at: number
}

export class TurnStore extends Context.Tag("loom/conversation/TurnStore")<TurnStore, {
  /** What is known of these ids of one writer; an id that was never used is not in the answer. */
  readonly known: (
    writer: TurnWriter,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, KnownTurn>, StoreError>
  /** Stores turns. One that is there already, or was deleted, stays as it is. */
  readonly append: (turns: ReadonlyArray<IndexedTurn>) => Effect.Effect<void, Unavailable>
  readonly page: (
    scope: Scope,
    filter: TurnFilter,
    page: TurnPage
  ) => Effect.Effect<ReadonlyArray<Turn>, StoreError>
  readonly count: (scope: Scope, filter: TurnFilter) => Effect.Effect<number, StoreError>
  /** The turns of these ids that are there, in the order of the ids. */
  readonly byIds: (
    scope: Scope,
    user_id: string | null,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Turn>, StoreError>
  /**
   * The turns of these ids under each of these writers that are there, in the order of what is asked and of its ids. Each
   * names its own scope: for workers, who read for many at once.
   */
  readonly ofWriters: (
    asked: ReadonlyArray<{ readonly writer: TurnWriter; readonly ids: ReadonlyArray<string> }>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Turn>>, StoreError>
  /** The sessions that have a turn of the filter, the one with the latest turn first. */
  readonly sessions: (
    scope: Scope,
    filter: TurnFilter,
    page: { readonly after: SessionPlace | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<SessionFacts>, StoreError>
  /**
   * The `limit` turns closest to the question's vector and the `limit` best by its words (BM25), each turn once, in no
   * order. Of a slice with more than some hundred parts the closest may miss a few, and a cosine is right to 0.002.
   */
  readonly search: (
    scope: Scope,
    filter: TurnFilter,
    question: TurnQuestion,
    limit: number
  ) => Effect.Effect<FoundTurns, StoreError>
  /** Takes turns out with all their copies, for good: their ids alone stay known. */
  readonly remove: (turns: ReadonlyArray<Turn>, deletion: Deletion) => Effect.Effect<void, Unavailable>
}>() {}
