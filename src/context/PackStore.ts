/**
 * The port to the memories of a block. Only what is served counts: not ended, not redacted, never of high sensitivity.
 * Places are found first and read afterwards, all in one read, so that every line of a block shows the row as it is then.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Status } from "../memory/MemoryModel.ts"
import type { PackMemory } from "./PackModel.ts"

/** Null matches every writer. */
export type WriterFilter = { readonly [Name in keyof Writer]: string | null } & { readonly run_id: string | null }

/** One memory within a scope. */
export type Place = Writer & { readonly memory_key: string }

/** Sections that are listed, not found: they hold whatever is of their kind. */
export type ListedSection = "session" | "profile" | "decisions"

/** What a row must be to be shown. */
export interface Served {
  readonly statuses: ReadonlyArray<Status>
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Listed {
  /** Latest changed first. */
  readonly places: ReadonlyArray<Place>
  /** How many there are, those included that a bound kept from being read. */
  readonly total: number
}

export class PackStore extends Context.Tag("loom/context/PackStore")<PackStore, {
  /** The places of a section's memories. */
  readonly listed: (
    scope: Scope,
    section: ListedSection,
    writer: WriterFilter,
    served: Served
  ) => Effect.Effect<Listed, StoreError>
  /** The memories at these places, in any order; one that may be read no more is left out. */
  readonly at: (
    scope: Scope,
    places: ReadonlyArray<Place>,
    served: Served
  ) => Effect.Effect<ReadonlyArray<PackMemory>, StoreError>
}>() {}

/** How many places a section lists: more than a block of the greatest budget is good for. */
export const MOST_LISTED = 100
/** How much of a value is read, in characters: some 1,000 tokens; what goes on behind it fits no line whole. */
export const READ_TEXT = 4_000
