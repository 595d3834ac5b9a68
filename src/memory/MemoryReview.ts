/**
 * The port for looking over a namespace: heads page by page, contradictions with their history, what the store derived of
 * a row, how it stood at a version, and the one thing done to the past: scrubbing a value out of it. Never on the path of
 * a plain read or write. Scope and reader bounds come first; a row outside them does not exist for the caller.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** What finds one memory within a scope. */
export type Place = Writer & { readonly memory_key: string }

/** The one user whose rows may be seen; null sees every user's. */
export type ReaderBound = string | null

/** One direction of a contradiction between two served rows, and since when it stands without a break. */
export interface ConflictLink extends Writer, Pick<MemoryRow, "memory_key" | "memory_id" | "memory_type"> {
  /** The memory_id that the row names. */
  readonly other: string
  /** The first version of the row, of those up to now without a break, that names it. */
  readonly since: bigint
  /** When that version was written (milliseconds). */
  readonly at: number
  readonly write_id: string
  /** The cause of that version; empty on the row whose own write it was. */
  readonly cause: string
}

/** What is derived from one memory. */
export interface DerivedFacts {
  readonly vectors: ReadonlyArray<{ readonly content_sha256: string; readonly embedder_id: string }>
  readonly chunks: ReadonlyArray<{ readonly content_sha256: string; readonly count: number }>
  readonly entities: ReadonlyArray<string>
}

/** One version of a memory without its value. */
export type VersionFacts = Pick<
  MemoryRow,
  "version" | "updated_at" | "actor" | "change" | "status" | "content_sha256" | "write_id" | "cause"
>

/** A change to a row on another's account. */
export interface CausedChange extends Place, VersionFacts, Pick<MemoryRow, "memory_id"> {}

export interface Scrubbed {
  readonly versions: number
  readonly vectors: number
  readonly chunks: number
  /** Places where the value still stands after all; 0 when it is gone. */
  readonly remaining: number
}

/** What waits for somebody: proposals that are live, or rows in service that were edited since they were vouched for. */
export type StandingKind = "proposed" | "stale"

/** Rows of a kind: how many, since when the oldest waits (milliseconds), and the ones that have waited longest. */
export interface Standing {
  readonly count: number
  readonly oldest: number | null
  readonly rows: ReadonlyArray<MemoryRow>
}

/** A point in the history: a version, or an instant (milliseconds). */
export type Point = { readonly version: bigint } | { readonly at: number }

export class MemoryReview extends Context.Tag("loom/memory/MemoryReview")<MemoryReview, {
  /** Heads of every status in the order of their places, `limit` at a time, after the place of the last one before. */
  readonly heads: (
    scope: Scope,
    bound: ReaderBound,
    page: { readonly after: Place | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** Heads with these ids or under these keys, whatever their status. */
  readonly named: (
    scope: Scope,
    bound: ReaderBound,
    names: { readonly ids: ReadonlyArray<string>; readonly keys: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** The links of contradictions of which one side at least is served at `now` (milliseconds). */
  readonly conflictLinks: (
    scope: Scope,
    bound: ReaderBound,
    now: number
  ) => Effect.Effect<ReadonlyArray<ConflictLink>, StoreError>
  /**
   * What waits at `now` (milliseconds), the first `limit` of it, oldest first: a proposal since it was made, a row that was
   * edited since it was last written.
   */
  readonly standingBy: (
    scope: Scope,
    bound: ReaderBound,
    now: number,
    page: { readonly kind: StandingKind; readonly limit: number }
  ) => Effect.Effect<Standing, StoreError>
  readonly derived: (scope: Scope, place: Place) => Effect.Effect<DerivedFacts, StoreError>
  /** Those of the rows whose content has no vector of the embedder. */
  readonly vectorless: <R extends Place & { readonly content_sha256: string }>(
    scope: Scope,
    embedderId: string,
    rows: ReadonlyArray<R>
  ) => Effect.Effect<ReadonlyArray<R>, StoreError>
  /** The link of the audit chain at a position. */
  readonly auditLink: (
    scope: Scope,
    position: bigint
  ) => Effect.Effect<Option.Option<{ readonly prev_hash: string; readonly hash: string }>, StoreError>
  /** Every version of one memory, newest first, at most `limit`. */
  readonly versions: (
    scope: Scope,
    place: Place,
    limit: number
  ) => Effect.Effect<ReadonlyArray<VersionFacts>, StoreError>
  /** Versions of other rows whose cause names this id, newest first, at most `limit`. */
  readonly causedBy: (
    scope: Scope,
    bound: ReaderBound,
    memoryId: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<CausedChange>, StoreError>
  /**
   * The last version of the namespace that belongs to a point, whole writes only: the end of the write that a version
   * belongs to, or the last version written by an instant. 0 when nothing was there.
   */
  readonly point: (scope: Scope, point: Point) => Effect.Effect<bigint, StoreError>
  /** How the rows at these places stood at a version; a place that was not there is left out. */
  readonly standing: (
    scope: Scope,
    places: ReadonlyArray<Place>,
    version: bigint
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /**
   * Takes a content of one memory out of its history and out of everything derived from it, for good. Not for a head:
   * the actor scrubs that first. Merges the tables whole, so it costs as much as they are large.
   */
  readonly scrub: (scope: Scope, place: Place, contentSha256: string) => Effect.Effect<Scrubbed, StoreError>
}>() {}
