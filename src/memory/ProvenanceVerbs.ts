/**
 * Where a memory comes from and what the store holds of it: provenance, lineage, inspect.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { rowFields } from "./MemoryFields.ts"
import { MemoryView } from "./MemoryViewFields.ts"

const Text = Schema.NullOr(Schema.String)

/** A change that one row caused to another. Ids and words of rows the caller may not read are null. */
const CauseView = Schema.Struct({
  memory_id: Text,
  memory_key: Text,
  change: Schema.String,
  write_id: Schema.String,
  rule: Text,
  evidence: Text,
  at: Schema.String
})

/** One row that another rests on. */
export const SourceView = Schema.Struct({
  lineage_id: Schema.String,
  support_type: Schema.String,
  namespace: Schema.String,
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  /** The content that the source had when it was recorded. */
  source_content_sha256: Schema.String,
  /** The content that it supports. */
  content_sha256: Schema.String,
  rationale: Text,
  approver: Text,
  promoted_from_candidate_id: Text,
  reversible_until: Text,
  actor: Schema.String,
  at: Schema.String
})

export const MemoryProvenance = make("memory.provenance", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Where a memory came from: who wrote it, how it was learned, who attested it, what retired it or what it retired.",
    when: "You must decide whether to trust a memory, or why it is no longer served.",
    whenNot: "You want its earlier values (memory.history)."
  },
  payload: Schema.Struct(rowFields),
  answer: Schema.Struct({
    found: Schema.Boolean,
    provenance: Schema.NullOr(Schema.Struct({
      memory_id: Schema.String,
      memory_key: Schema.String,
      status: Schema.String,
      /** Who wrote the first version, and the newest. */
      created_by: Schema.String,
      actor: Schema.String,
      source_class: Schema.String,
      source_trace: Text,
      source_resource_id: Text,
      write_id: Schema.String,
      run_id: Text,
      created_at: Schema.String,
      updated_at: Schema.String,
      content_sha256: Schema.String,
      verification: Schema.String,
      verified_by: Text,
      verified_at: Text,
      verified_sha256: Text,
      versions: Schema.Number,
      contributors: Schema.Array(Schema.Struct({
        actor: Schema.String,
        versions: Schema.Number,
        changes: Schema.Array(Schema.String),
        first_at: Schema.String,
        last_at: Schema.String
      })),
      reinforcement_count: Schema.Number,
      restated: Schema.Number,
      merged: Schema.Number,
      retired_by: Schema.NullOr(CauseView),
      retired: Schema.Array(CauseView),
      sources: Schema.Array(SourceView)
    })),
    degraded: Schema.Array(Schema.String)
  })
})

const LineageNode = Schema.Struct({
  namespace: Schema.String,
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  status: Schema.String,
  content_sha256: Schema.String,
  /** Steps from the memory asked for: below 0 towards its sources, above 0 towards what rests on it. */
  distance: Schema.Number
})
export type LineageNode = typeof LineageNode.Type

export const MemoryLineage = make("memory.lineage", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Walk what a memory was promoted or derived from, and what was promoted or derived from it.",
    when: "A shared memory must be traced to its origin, or an origin to its copies.",
    whenNot: "You want the writer and attestation (memory.provenance).",
    args: "depth bounds the walk in each direction (5 by default). Memories you may not read are left out."
  },
  payload: Schema.Struct({ ...rowFields, depth: Schema.optional(Schema.Int.pipe(Schema.between(1, 20))) }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    /** The memory asked for first, then by distance. */
    nodes: Schema.Array(LineageNode),
    edges: Schema.Array(
      Schema.Struct({
        /** The memory that rests on the source. */
        supports: Schema.String,
        source: Schema.String,
        /** Whether both still hold the content that was recorded. */
        current: Schema.Boolean
      }).pipe(Schema.extend(SourceView))
    ),
    truncated: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})

const LinkView = Schema.Struct({ memory_id: Schema.String, memory_key: Text, status: Text })

export const MemoryInspect = make("memory.inspect", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Everything the store holds of one memory: columns, derived rows, links, lock, and whether its audit link verifies.",
    when: "A memory is not found, not served or not what you expect, and you look for why.",
    whenNot: "You need its value (memory.get)."
  },
  payload: Schema.Struct(rowFields),
  answer: Schema.Struct({
    found: Schema.Boolean,
    served: Schema.optional(Schema.Boolean),
    memory: Schema.NullOr(MemoryView),
    /** The columns that a view leaves out. The answer kept for a retry is not shown: it belongs to who got it. */
    columns: Schema.NullOr(Schema.Struct({
      value_kind: Schema.String,
      value_bytes: Schema.Number,
      canonical_sha256: Text,
      temporal_confidence: Schema.NullOr(Schema.Number),
      verified_kind: Text,
      verified_sha256: Text,
      verified_at: Text,
      locked_by: Text,
      write_id: Schema.String,
      has_idempotency_key: Schema.Boolean,
      change: Schema.String,
      cause: Schema.NullOr(CauseView),
      epoch: Schema.String,
      seq: Schema.String
    })),
    derived: Schema.NullOr(Schema.Struct({
      /** Whether the present content has a vector of the embedder in use. */
      has_vector: Schema.Boolean,
      vectors: Schema.Number,
      chunks: Schema.Number,
      entities: Schema.Array(Schema.String)
    })),
    links: Schema.NullOr(Schema.Struct({
      conflict_with: Schema.Array(LinkView),
      duplicate_of: Schema.NullOr(LinkView),
      superseded_by: Schema.NullOr(LinkView)
    })),
    lock: Schema.NullOr(Schema.Struct({
      mode: Schema.String,
      until: Text,
      reason: Schema.String,
      locked_by: Schema.String,
      in_force: Schema.Boolean
    })),
    audit: Schema.NullOr(Schema.Struct({
      position: Schema.String,
      hash: Schema.String,
      prev_hash: Schema.String,
      /** Whether the hash made again from the row is the one it carries. */
      verifies: Schema.Boolean,
      /** Whether the chain holds the same link. */
      logged: Schema.Boolean
    })),
    versions: Schema.Number,
    degraded: Schema.Array(Schema.String)
  })
})
