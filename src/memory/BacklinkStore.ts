/** The port to what names a memory: other memories by its id, and digests by its key. Scope and reader bound come first. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { ReaderBound } from "./MemoryReview.ts"

/** A memory that names another one in its columns. */
export interface NamingRow
  extends
    Pick<MemoryRow, "memory_id" | "memory_key" | "agent" | "user_id" | "status" | "duplicate_of" | "superseded_by">
{
  readonly contradicts: boolean
}

export interface NamingDigest {
  readonly digest_id: string
  readonly agent: string
  readonly session_id: string
  /** Milliseconds. */
  readonly created_at: number
  /** What the memory said when the digest was made. */
  readonly content_sha256: string
}

export class BacklinkStore extends Context.Tag("loom/memory/BacklinkStore")<BacklinkStore, {
  /** The heads that name the memory, those out of service left out, in the order of their keys; at most `limit`. */
  readonly naming: (
    scope: Scope,
    bound: ReaderBound,
    memoryId: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<NamingRow>, StoreError>
  /** The digests made from the memory, the newest first; at most `limit`. */
  readonly digests: (
    scope: Scope,
    memory: Pick<MemoryRow, "user_id" | "memory_key">,
    limit: number
  ) => Effect.Effect<ReadonlyArray<NamingDigest>, StoreError>
}>() {}
