/**
 * A digest: what several memories of one user say together, as one text. It is searched and never shown; what it leads to
 * are the memories it was made from. It speaks only while each of them still says what it said then.
 */
import type { Scope, Writer } from "../kernel/Identity.ts"

/** A memory that a digest was made from, and what it said then. */
export interface DigestMember {
  readonly memory_key: string
  readonly content_sha256: string
}

/**
 * The agent and the session are empty when the digest is of no one of them; the memories are then those of any agent. A
 * digest of a session is made from memories of the session and of none.
 */
export interface Digest extends Scope, Writer {
  /** `dig_<uuidv7>`, or `dig_<32 hex digits>` of the one session it sums up; a digest that is made anew keeps it. */
  readonly digest_id: string
  readonly text: string
  readonly members: ReadonlyArray<DigestMember>
  /** Milliseconds since 1970. */
  readonly created_at: number
  /** Nanoseconds; of two rows of one digest the later counts. */
  readonly version: bigint
}

/** The searchable copies of a digest's text, as those of a memory. */
export interface DigestCopies {
  readonly embedder_id: string
  readonly vector: Float32Array
  readonly lowered: string
  readonly stems: ReadonlyArray<string>
  readonly lemmas: ReadonlyArray<string>
}

/** A digest as a search found it. */
export interface FoundDigest extends Writer {
  readonly digest_id: string
  readonly members: ReadonlyArray<DigestMember>
  /** Cosine with the question; null when it was not compared. */
  readonly cosine: number | null
  /** The share of the question's words that it holds, 0 to 1. */
  readonly held: number
}
