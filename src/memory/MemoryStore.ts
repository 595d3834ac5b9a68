/**
 * The port through which the namespace actor keeps memory: append versions, look rows up, repair. Only the actor's
 * committer appends. Every method takes its scope, so no query can be built without one; the one exception is `commit`,
 * whose rows carry theirs. Reads for callers are in `MemoryReader`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Identity, Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { AuditLink } from "./AuditChain.ts"
import type { Intent, Tenancy } from "./Fence.ts"
import type { Searchable } from "./MemoryContent.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** What the actor keeps of every head: enough to find it, not the value. */
export type HeadEntry =
  & Writer
  & Pick<
    MemoryRow,
    | "memory_key"
    | "memory_id"
    | "memory_type"
    | "status"
    | "content_sha256"
    | "canonical_sha256"
    | "version"
    | "expires_at"
    | "valid_to"
    | "duplicate_of"
    | "conflict_with"
  >

/** Searchable copies of one content of one memory. */
export interface Derived {
  readonly identity: Identity
  readonly content_sha256: string
  readonly memory_type: string
  readonly source_class: string
  readonly verified: boolean
  readonly version: bigint
  readonly searchable: Searchable
}

/** A named thing that a memory mentions. */
export interface EntityProjection {
  readonly identity: Identity
  readonly entity: string
  readonly version: bigint
}

/** The answer to a write that wrote no row but must be given again. */
export interface KeptAnswer {
  readonly scope: Scope
  readonly idem_hash: string
  readonly payload_hash: string
  readonly write_id: string
  readonly answer: string
  readonly at: number
  readonly version: bigint
}

/** A promise that no version above `ceiling` was handed out in the scope. */
export interface Ceiling {
  readonly scope: Scope
  readonly ceiling: bigint
}

/** A link of the audit chain that no memory row makes: an audited read. */
export interface AuditEntry extends AuditLink {
  readonly prev_hash: string
  readonly hash: string
  readonly epoch: bigint
  readonly seq: bigint
}

/** Everything one merged commit appends, of one or of many namespaces. */
export interface Commit {
  readonly rows: ReadonlyArray<MemoryRow>
  readonly derived: ReadonlyArray<Derived>
  readonly entities: ReadonlyArray<EntityProjection>
  readonly ceilings: ReadonlyArray<Ceiling>
  readonly answers: ReadonlyArray<KeptAnswer>
  /** Memories that may be found no more: what was derived from any of their contents goes, before the rows are laid down. */
  readonly hidden: ReadonlyArray<Identity>
  /**
   * Links of audited reads. They are laid down before the rows, and stay if the rows never come: in the chain of their
   * namespace those of a commit stand before all its rows.
   */
  readonly audits: ReadonlyArray<AuditEntry>
}

export const emptyCommit: Commit = {
  rows: [],
  derived: [],
  entities: [],
  ceilings: [],
  answers: [],
  audits: [],
  hidden: []
}

/** Rows that one claim may meet as peers share these: peers are never sought across them. */
export interface PeerSlot {
  readonly memory_type: string
  readonly user_id: string
}

/** What a batch must know before it can be judged. */
export interface Probes {
  readonly keys: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
  /** Rows of one type and user with the same canonical form, whatever their status. */
  readonly canonical: ReadonlyArray<PeerSlot & { readonly sha256: string }>
  /** Rows of one user with the same content, whatever their status. */
  readonly content: ReadonlyArray<{ readonly user_id: string; readonly sha256: string }>
  /** Rows linked to these memory_ids: their duplicates, and those that contradict them. */
  readonly linked: ReadonlyArray<string>
}

export const noProbes: Probes = { keys: [], ids: [], canonical: [], content: [], linked: [] }

/** The last version that said a claim, under whatever key, head or past. */
export interface LastWord extends PeerSlot {
  /** The claim's canonical form. */
  readonly sha256: string
  readonly memory_key: string
  readonly status: MemoryRow["status"]
  readonly change: MemoryRow["change"]
  readonly version: bigint
}

/** A search for rows close to a vector. */
export interface PeerQuery extends PeerSlot {
  readonly vector: Float32Array
  /** Least cosine. */
  readonly threshold: number
}

/** A served row close to a vector, with the cosine and the content it was found by. */
export interface Nominee extends Writer {
  readonly memory_key: string
  readonly content_sha256: string
  readonly similarity: number
}

/** The vector of a served head. */
export interface HeadVector extends Writer, PeerSlot {
  readonly memory_key: string
  readonly content_sha256: string
  readonly vector: Float32Array
}

/** Where a namespace's counters stand. */
export interface Position {
  /** The highest version ever promised or written, of a row or of an audited read; 0 for a new namespace. */
  readonly version: bigint
  /** The hash of the last audit link; empty for a new namespace. */
  readonly audit_hash: string
  readonly rows: number
}

export interface RepairReport {
  /** Versions that the history lacked. */
  readonly versions: number
  /** Versions that the journal lacked. */
  readonly journal: number
  /** Heads that should be found by search and have no vector of the current embedder. */
  readonly missing: ReadonlyArray<MemoryRow>
  readonly orphans: number
}

export class MemoryStore extends Context.Tag("loom/memory/MemoryStore")<MemoryStore, {
  /**
   * Appends derived rows and audited reads first, then the memory rows as one block: that insert is the commit. A failure means the
   * outcome is unknown; `committed` tells it. A store that is also the fence holds the commit against its owners, and answers
   * the scopes of which nothing is in since they are another's by now; any other answers none.
   */
  readonly commit: (
    commit: Commit,
    owners?: ReadonlyArray<Tenancy>
  ) => Effect.Effect<ReadonlyArray<Scope>, Unavailable>
  /** Whether the rows of these versions are in the store; a batch is there whole or not at all. */
  readonly committed: (scope: Scope, versions: ReadonlyArray<bigint>) => Effect.Effect<boolean, StoreError>
  /**
   * Completes mirrors that a torn insert left behind and removes derived rows that no version refers to, where a version is
   * given only those that are not above it: what an owner after this one is about to refer to stays. Idempotent.
   */
  readonly repair: (scope: Scope, embedderId: string, upTo?: bigint) => Effect.Effect<RepairReport, StoreError>
  /**
   * Voids a commit, whether any of it is in or comes in later, whole or in part: its versions stand in no history, its links in
   * no chain, its answers are not given, and the heads are again those of before, under fresh versions that stand in no
   * history either. `fresh` is the first of as many as the commit has rows, and at least one, all above its own. Wants whole mirrors (`repair`);
   * afterwards heads may lack what is derived from them (`repair` tells which). Idempotent, also under other fresh versions.
   */
  readonly disown: (intent: Intent, fresh: bigint) => Effect.Effect<void, StoreError>
  readonly position: (scope: Scope) => Effect.Effect<Position, StoreError>
  /** All heads of the scope, whatever their status. */
  readonly entries: (scope: Scope) => Effect.Effect<ReadonlyArray<HeadEntry>, StoreError>
  /** Heads by full identity. */
  readonly rows: (
    scope: Scope,
    identities: ReadonlyArray<Writer & { readonly memory_key: string }>
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** Every head that any probe names. */
  readonly probe: (scope: Scope, probes: Probes) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** The last word on each of these claims; one that was never said has none. */
  readonly lastWords: (
    scope: Scope,
    claims: Probes["canonical"]
  ) => Effect.Effect<ReadonlyArray<LastWord>, StoreError>
  /** For each query the closest served rows at or above its threshold, closest first, at most `limit` of them. */
  readonly near: (
    scope: Scope,
    embedderId: string,
    queries: ReadonlyArray<PeerQuery>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Nominee>>, StoreError>
  /**
   * Full heads, whatever their status, in one fixed order of identities: `limit` of them behind the one given, those with a
   * value of more than `longest` bytes left out.
   */
  readonly heads: (
    scope: Scope,
    page: {
      readonly after: (Writer & { readonly memory_key: string }) | null
      readonly limit: number
      readonly longest: number
    }
  ) => Effect.Effect<ReadonlyArray<MemoryRow>, StoreError>
  /** The vectors of served heads, by identity, `limit` at a time, after the identity of the last one of the page before. */
  readonly vectors: (
    scope: Scope,
    embedderId: string,
    page: { readonly after: (Writer & { readonly memory_key: string }) | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<HeadVector>, StoreError>
  /** The vectors of the contents of the rows given, served or not, where there are any. */
  readonly vectorsOf: (
    scope: Scope,
    embedderId: string,
    rows: ReadonlyArray<Writer & PeerSlot & { readonly memory_key: string; readonly content_sha256: string }>
  ) => Effect.Effect<ReadonlyArray<HeadVector>, StoreError>
  /** Hashes of the idempotency keys used since a time, and of writes remembered by their ids since another (milliseconds). */
  readonly idempotencyKeys: (
    scope: Scope,
    since: number,
    writesSince: number
  ) => Effect.Effect<ReadonlyArray<string>, StoreError>
  /** The first answer given under an idempotency key, at or after a time (milliseconds) when one is named. */
  readonly keptAnswer: (
    scope: Scope,
    idemHash: string,
    since?: number
  ) => Effect.Effect<
    Option.Option<Pick<KeptAnswer, "payload_hash" | "write_id" | "answer" | "at">>,
    StoreError
  >
  /** Scopes that hold memory, for repair at start. */
  readonly scopes: Effect.Effect<ReadonlyArray<Scope>, StoreError>
}>() {}
