/** The tables of what was said: memories, their versions and journal, and what is derived from them. See `Tables`. */
import { fence, identity, scope } from "./TableFacts.ts"
import type { Columns, TableFacts } from "./TableFacts.ts"

const memoryColumns: Columns = {
  scope,
  identity: [...identity, "memory_id"],
  content: [
    "value",
    "content_sha256",
    "canonical_sha256",
    "tags",
    "entities",
    "relations",
    "files",
    "expire_reason",
    "source_trace",
    "source_resource_id",
    "verified_sha256",
    "lock_reason",
    "payload_hash",
    "answer"
  ],
  facts: [
    "run_id",
    "value_kind",
    "memory_type",
    "confidence",
    "status",
    "pinned",
    "conflict_with",
    "duplicate_of",
    "superseded_by",
    "version",
    "created_at",
    "updated_at",
    "valid_at",
    "valid_to",
    "temporal_anchor",
    "temporal_confidence",
    "invalid_at",
    "tombstoned_at",
    "expires_at",
    "on_expire",
    "actor",
    "source_class",
    "verified_by",
    "verified_kind",
    "verified_at",
    "lock_mode",
    "lock_until",
    "locked_by",
    "sensitivity",
    "char_limit",
    "retyped_from",
    "reinforcement_count",
    "write_id",
    "idem_hash",
    "change",
    "cause",
    "audit_prev",
    "audit_hash",
    "revision",
    ...fence
  ]
}

export const memoryTables: Readonly<Record<string, TableFacts>> = {
  memory: {
    columns: memoryColumns,
    person: "user_id",
    erase: "rows",
    export: "rows",
    rollback: "restate",
    prune: "nothing"
  },
  memory_versions: {
    columns: memoryColumns,
    person: "user_id",
    erase: "rows",
    export: "rows",
    rollback: "follows",
    prune: "window"
  },
  journal: {
    // Kept whole, or the chain of hashes breaks; without writer and key it says that something happened to an id, never
    // what. Audited reads stand in no other table.
    columns: {
      scope,
      identity: [...identity, "memory_id"],
      content: ["content_sha256"],
      facts: [
        "position",
        "at",
        "actor",
        "action",
        "status",
        "write_id",
        "cause",
        "prev_hash",
        "hash",
        "revision",
        ...fence
      ]
    },
    person: "user_id",
    erase: "blank",
    export: "rows",
    rollback: "stay",
    prune: "nothing"
  },
  memory_embeddings: {
    columns: {
      scope,
      identity,
      content: [
        "content_sha256",
        "value_vector",
        "key_vector",
        "value_signs",
        "key_signs",
        "value_bytes",
        "key_bytes",
        "excerpt",
        "lowered",
        "stems",
        "lemmas",
        "terms"
      ],
      facts: ["embedder_id", "memory_type", "source_class", "verified", "version", ...fence]
    },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "follows",
    prune: "unreferred"
  },
  memory_chunks: {
    columns: {
      scope,
      identity,
      content: ["content_sha256", "text", "stems", "lemmas", "terms", "vector"],
      facts: ["embedder_id", "chunk_index", "start_at", "end_at", "version", ...fence]
    },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "follows",
    prune: "unreferred"
  },
  memory_entities: {
    columns: { scope, identity, content: ["entity"], facts: ["version", ...fence] },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "follows",
    prune: "unreferred"
  },
  memory_belief_sources: {
    columns: {
      scope,
      identity: [
        ...identity,
        "source_org",
        "source_namespace",
        "source_agent",
        "source_user_id",
        "source_session_id",
        "source_memory_key",
        "source_memory_id"
      ],
      content: ["content_sha256", "source_content_sha256", "rationale"],
      facts: [
        "support_type",
        "lineage_id",
        "approver",
        "promoted_from_candidate_id",
        "reversible_until",
        "actor",
        "at",
        "write_id",
        "version",
        ...fence
      ]
    },
    person: "user_id",
    erase: "rows",
    export: "rows",
    // A source supports one content of a row, so it counts again when that content does.
    rollback: "follows",
    prune: "unreferred"
  },
  session_summaries: {
    // A digest is made from memories and tells of each: an erasure of one takes every digest that names its key.
    columns: {
      scope,
      identity: ["agent", "user_id", "session_id", "derived_from"],
      content: ["text", "lowered", "stems", "lemmas", "terms", "vector", "derived_sha256"],
      facts: ["digest_id", "embedder_id", "created_at", "tombstoned_at", "version"]
    },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "follows",
    prune: "unreferred"
  },
  heads: {
    store: "postgres",
    columns: {
      scope,
      identity: [...identity, "memory_id", "place"],
      content: ["content_sha256", "canonical_sha256", "value_bytes", "body"],
      facts: [
        "memory_type",
        "status",
        "sensitivity",
        "version",
        "expires_at",
        "valid_to",
        "duplicate_of",
        "conflict_with"
      ]
    },
    person: "user_id",
    erase: "rows",
    export: "rows",
    rollback: "restate",
    prune: "nothing"
  },
  answers: {
    store: "postgres",
    columns: {
      scope,
      identity: [],
      content: ["payload_hash", "answer"],
      facts: ["idem_hash", "version", "at", "write_id"]
    },
    person: null,
    erase: "scope",
    export: "local",
    rollback: "stay",
    prune: "day"
  },
  outbox: {
    store: "postgres",
    columns: { scope, identity: [], content: ["body"], facts: ["id", "versions", "at"] },
    person: null,
    erase: "drain",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  }
}
