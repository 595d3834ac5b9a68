/**
 * The port for plain reads of memory: by key, by id, by filter, and the history. Reads never pass the actor. Scope and
 * reader bounds come first in every method; a row outside them does not exist for the caller.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Mark } from "./AsOf.ts"
import type { Instant } from "./InstantModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"

/** Which writers' rows a read may see; null means any. */
export interface WriterFilter {
  readonly agent: string | null
  readonly user_id: string | null
  readonly session_id: string | null
}

export const anyWriter: WriterFilter = { agent: null, user_id: null, session_id: null }

export interface ListFilter extends WriterFilter {
  readonly run_id: string | null
  readonly prefix: string | null
  readonly memory_type: string | null
  readonly source_trace: string | null
  /** Any of these, whatever the case. */
  readonly tags: ReadonlyArray<string>
  /** All of these, exactly. */
  readonly tags_every: ReadonlyArray<string>
  /** All of these, in canonical form. */
  readonly entities: ReadonlyArray<string>
  readonly contains: string | null
  readonly pinned_only: boolean
  readonly statuses: ReadonlyArray<Status>
  /**
   * Live rows whose expiry or validity ended by this time (milliseconds) are left out; null keeps them. A row that was
   * replaced or withdrawn ended with that, so its dates say nothing here.
   */
  readonly endedBefore: number | null
  /**
   * Whether rows that an expiry took out of service are listed, whatever statuses are asked for; absent asks for tombstones
   * of any kind alike.
   */
  readonly expired?: boolean | undefined
  /** The versions that answer at an instant, in place of the heads. */
  readonly asOf?: Instant | undefined
  /** The time at which heads must be served for what they said earlier to be listed beside them; absent lists none. */
  readonly earlierAt?: number | undefined
}

/** One memory within a scope. */
export type Place = Writer & { readonly memory_key: string }

/** Every row of these statuses, ended or not. */
export const everyRow = (writer: WriterFilter, statuses: ReadonlyArray<Status>): ListFilter => ({
  ...writer,
  run_id: null,
  prefix: null,
  memory_type: null,
  source_trace: null,
  tags: [],
  tags_every: [],
  entities: [],
  contains: null,
  pinned_only: false,
  statuses,
  endedBefore: null
})

/** Which named things are asked for: those that begin so, after a name, in the order of their bytes. */
export interface NamedThingPage {
  readonly prefix: string
  readonly after: string | null
  readonly limit: number
}

/** A named thing and how many served memories name it. */
export interface NamedThing {
  readonly entity: string
  readonly memories: number
}

export type SortBy = "created_at" | "updated_at" | "memory_key"

/** The place after which a page goes on: the sort value and id of the last row of the page before. */
export interface Keyset {
  /** Milliseconds as text for times; the key for memory_key. */
  readonly value: string
  readonly memory_id: string
  /** Tells apart what one memory said earlier; absent means that all of it was shown. */
  readonly version?: bigint | undefined
}

export interface Page {
  readonly sort_by: SortBy
  readonly after: Keyset | null
  readonly limit: number
  readonly offset: number
}

export class MemoryReader extends Context.Tag("loom/memory/MemoryReader")<MemoryReader, {
  /** Heads under a key, newest version first, whatever their status. One keyed read when every writer field is given. */
  readonly byKey: (
    scope: Scope,
    key: string,
    writer: WriterFilter
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** The head with this id. */
  readonly byId: (
    scope: Scope,
    memoryId: string,
    writer: WriterFilter
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** One page of matching heads: times newest first, keys A to Z. */
  readonly list: (scope: Scope, filter: ListFilter, page: Page) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  readonly count: (scope: Scope, filter: ListFilter) => Effect.Effect<number, StoreError>
  /** What the memories served at `now` (milliseconds) name; one of high sensitivity names nothing here. */
  readonly namedThings: (
    scope: Scope,
    writer: WriterFilter,
    page: NamedThingPage,
    now: number
  ) => Effect.Effect<ReadonlyArray<NamedThing>, StoreError>
  /** Versions of the identities given, newest first. */
  readonly history: (
    scope: Scope,
    identities: ReadonlyArray<Place>,
    page: { readonly before: bigint | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** Every version known of these memories without its value, oldest first; null knows all. */
  readonly marks: (
    scope: Scope,
    identities: ReadonlyArray<Place>,
    known: bigint | null
  ) => Effect.Effect<ReadonlyArray<Mark>, StoreError>
  /** The versions named, in no order; all of them are of these memories. */
  readonly versions: (
    scope: Scope,
    identities: ReadonlyArray<Place>,
    versions: ReadonlyArray<bigint>
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** Those of these memories whose head is of high sensitivity: no earlier value of theirs may be shown either. */
  readonly withheld: (
    scope: Scope,
    identities: ReadonlyArray<Place>
  ) => Effect.Effect<ReadonlyArray<Place>, StoreError>
  /**
   * A number that grows with every change a writer's reader can see: the last version, or the nanosecond of the last end
   * of a row that has come by `now` (milliseconds). 0 where nothing is stored.
   */
  readonly latest: (scope: Scope, writer: WriterFilter, now: number) => Effect.Effect<bigint, StoreError>
}>() {}
