/**
 * The port to sessions as digests are made of them: which of them changed since their digest was made, what a session holds,
 * and the digests that there are. The first two are for the house itself and ask across tenants; the list takes the scope
 * and the one user whose digests may be seen first.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import type { DigestMember } from "./DigestModel.ts"

/** One session of one user with one agent. */
export type SessionPlace = Scope & Writer

/** A session and the version of the last change to a memory of it. */
export interface ChangedSession extends SessionPlace {
  readonly latest: bigint
}

/** A memory of a session that a digest may be made from. */
export type SessionMemory = Pick<MemoryRow, "memory_key" | "content_sha256" | "value" | "value_kind">

/** A digest as it is kept. */
export interface KeptDigest extends Writer {
  readonly digest_id: string
  readonly text: string
  readonly members: ReadonlyArray<DigestMember>
  readonly created_at: number
  readonly version: bigint
  readonly ended: boolean
}

export interface SessionState {
  /** The newest memories that are served, searchable and not of high sensitivity, oldest first. */
  readonly memories: ReadonlyArray<SessionMemory>
  readonly latest: bigint
  /** The digest of the session, ended or not. */
  readonly digest: KeptDigest | null
}

/** Which digests are listed; null stands for any. */
export interface DigestFilter {
  readonly agent: string | null
  readonly user_id: string | null
  readonly session_id: string | null
}

/** Where a page of digests goes on. */
export type DigestPlace = Writer & { readonly digest_id: string }

export class DigestSessions extends Context.Tag("loom/retrieval/DigestSessions")<DigestSessions, {
  /**
   * Sessions with a change above one version (nanoseconds) and none above the other, later than their digest, that have a digest or
   * as many memories as one takes; in the order of their last changes, after the one given.
   */
  readonly changed: (span: {
    readonly since: bigint
    readonly until: bigint
    readonly members: number
    readonly now: number
    readonly after: ChangedSession | null
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<ChangedSession>, StoreError>
  readonly state: (
    place: SessionPlace,
    digest_id: string,
    bounds: { readonly now: number; readonly most: number }
  ) => Effect.Effect<SessionState, StoreError>
  /** Digests of sessions that have not ended, in the order of their places. */
  readonly list: (
    scope: Scope,
    filter: DigestFilter,
    page: { readonly after: DigestPlace | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<KeptDigest>, StoreError>
}>() {}
