/**
 * What is committed in Postgres and not yet copied to ClickHouse. Within a namespace the copies are made in the order of the
 * commits, whoever makes them: the owner right behind its commit, or later whoever finds them, one at a time. A copy is the
 * commit itself, so made twice it is there once; a row leaves the outbox when its copy is in.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Sent } from "./MemoryCommitPostgres.ts"

/**
 * How long a copy may take. A connection to a server that died may answer never, and nobody may wait for it behind a lock: the
 * commit is copied again.
 */
export const COPY_LIMIT = Duration.seconds(10)

/** A namespace with commits that wait for their copies. */
export interface Backlog {
  readonly scope: Scope
  readonly commits: number
  /** Of the oldest, in milliseconds. */
  readonly age: number
}

export class Outbox extends Context.Tag("loom/memory/Outbox")<Outbox, {
  /** Copies what was just committed, behind what waits of its namespaces. */
  readonly project: (sent: ReadonlyArray<Sent>) => Effect.Effect<void, StoreError>
  /** Copies all that waits of a namespace, and what of it is under way; answers how many commits that were. */
  readonly drain: (scope: Scope) => Effect.Effect<number, StoreError>
  /** Waits, though not for long, until nothing of a namespace waits; false when something still does. */
  readonly caughtUp: (scope: Scope) => Effect.Effect<boolean, StoreError>
  /** The namespaces in which a commit waits for at least this long, the longest first. */
  readonly waiting: (atLeast: Duration.Duration) => Effect.Effect<ReadonlyArray<Backlog>, StoreError>
}>() {}
