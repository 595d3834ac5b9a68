/**
 * Every table there is and what each of its columns means to whoever erases, exports, rolls back or prunes: those jobs
 * walk this registry and name no table themselves. A migration that adds a table or a column is not done until it is
 * listed here; a test holds the migrations against it. `docs/schema.md` shows it beside the columns.
 */

/** Columns by what they are; every column of the table stands in exactly one of the lists. */
export interface Columns {
  /** Whose rows they are: the tenant and the namespace. A table without any belongs to the installation. */
  readonly scope: ReadonlyArray<"org" | "namespace">
  /** Which memory, or which person, within the scope. */
  readonly identity: ReadonlyArray<string>
  /** What was said, and what tells of it or can be turned back into it: texts, hashes, vectors, words. */
  readonly content: ReadonlyArray<string>
  /** Everything else: states, times, counters, names of writers. */
  readonly facts: ReadonlyArray<string>
}

/**
 * What an erasure of a memory or of a person does to the table.
 * - `rows`: deletes the rows whose `identity` columns match.
 * - `blank`: writes the rows that match again, as a later revision in which their writer and key are empty.
 * - `scope`: deletes all rows of the namespace, which do not say whose they are and can be spared.
 * - `drain`: has what waits there copied first, after which there is none; they do not say whose they are.
 * - `keep`: leaves them; they hold no content, or prove that something happened without saying what.
 * An erasure of a whole namespace or org deletes the rows of the scope from every table that has one.
 */
export type Erase = "rows" | "blank" | "scope" | "drain" | "keep"

/**
 * What an export holds of the table: its `rows`, nothing because they are `derived` from others and made again on the
 * way in, nothing because they are `secret`, or nothing because they mean something in this installation only (`local`).
 */
export type Export = "rows" | "derived" | "secret" | "local"

/**
 * What `namespace.rollback` does: a `restate` writes the older state as a new version through the actor; what `follows`
 * is found through the heads and needs nothing; what is to `stay` is no state of memory.
 */
export type Rollback = "restate" | "follows" | "stay"

/** What may be removed without loss: nothing, or what the words say. */
export type Prune =
  | "nothing"
  /** Versions older than a retention window that an operator set, never a head. */
  | "window"
  /** Rows that no version refers to, and those of an embedder that is no longer used. */
  | "unreferred"
  /** Answers older than the 24 hours for which a key is kept. */
  | "day"
  /** Intents that were decided an hour ago, of which nobody asks any more; never an undecided one. */
  | "decided"
  /** What processes said of themselves an hour ago; the table's own TTL removes it. */
  | "hour"

export interface TableFacts {
  /** Where it is when not in ClickHouse. */
  readonly store?: "postgres"
  readonly columns: Columns
  /** The identity column that names a person, by which an erasure of one finds the rows; null when none does. */
  readonly person: "user_id" | "bound_user" | null
  readonly erase: Erase
  readonly export: Export
  readonly rollback: Rollback
  readonly prune: Prune
}

const scope = ["org", "namespace"] as const
const identity = ["agent", "user_id", "session_id", "memory_key"]
const fence = ["epoch", "seq"]

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

/** Facts by table name in the database `loom` of ClickHouse, or in the schema `loom` of Postgres where they say so. */
export const tables: Readonly<Record<string, TableFacts>> = {
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
  namespaces: {
    columns: {
      scope,
      identity: [],
      content: [],
      facts: ["default_conflict_policy", "settings", "description", "created_at", "updated_at", "actor", "version"]
    },
    person: null,
    erase: "keep",
    export: "rows",
    rollback: "stay",
    prune: "nothing"
  },
  namespace_counters: {
    // Outlives every erasure: a version that was given out once must never come again.
    columns: { scope, identity: [], content: [], facts: ["ceiling"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  idempotency: {
    columns: {
      scope,
      identity: [],
      content: ["payload_hash", "answer"],
      facts: ["idem_hash", "write_id", "at", "version"]
    },
    person: null,
    erase: "scope",
    export: "local",
    rollback: "stay",
    prune: "day"
  },
  tokens: {
    columns: {
      scope: ["org"],
      identity: ["bound_user"],
      content: ["secret_sha256"],
      facts: [
        "token_id",
        "namespaces",
        "role",
        "kind",
        "subject",
        "description",
        "created_at",
        "created_by",
        "expires_at",
        "revoked_at",
        "version"
      ]
    },
    person: "bound_user",
    erase: "rows",
    export: "secret",
    rollback: "stay",
    prune: "nothing"
  },
  cursor_keys: {
    columns: { scope: [], identity: [], content: [], facts: ["key_id", "secret", "created_at"] },
    person: null,
    erase: "keep",
    export: "secret",
    rollback: "stay",
    prune: "nothing"
  },
  blacklist: {
    // Outlives every erasure of a memory or a person: a pattern keeps out what was erased. It is a rule that an admin
    // made, not what was said, so its text counts as a fact.
    columns: {
      scope,
      identity: [],
      content: [],
      facts: [
        "pattern_id",
        "scope",
        "pattern",
        "pattern_type",
        "reason",
        "created_at",
        "created_by",
        "removed_at",
        "removed_by",
        "idem_hash",
        "request_hash",
        "answer",
        "version"
      ]
    },
    person: null,
    erase: "keep",
    export: "rows",
    rollback: "stay",
    prune: "nothing"
  },
  blacklist_version: {
    columns: { scope: [], identity: [], content: [], facts: ["name", "version"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  blacklist_confirmations: {
    columns: { scope: [], identity: [], content: [], facts: ["process_id", "version", "gone", "at"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "hour"
  },
  fence: {
    // Outlives every erasure: a version that was given out once must never come again.
    store: "postgres",
    columns: {
      scope,
      identity: [],
      content: [],
      facts: [...fence, "last_version", "taken_at", "holder", "audit_at", "audit_hash"]
    },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  intents: {
    // Its rows name writers and keys, and only until they are pruned; an erasure is itself a later commit, which could not
    // be decided without them.
    store: "postgres",
    columns: {
      scope,
      identity: ["rows"],
      content: [],
      facts: [...fence, "state", "links", "answers", "top", "reserved_at", "decided_at"]
    },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "decided"
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
  },
  migrations: {
    // Both stores have one, with the same columns.
    columns: { scope: [], identity: [], content: [], facts: ["id", "name", "checksum", "applied_at"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  }
}

/** All columns of a table, in the order of the lists. */
export const columnsOf = ({ columns }: TableFacts): ReadonlyArray<string> => [
  ...columns.scope,
  ...columns.identity,
  ...columns.content,
  ...columns.facts
]

/** What a column is, in one word; undefined when it is not listed. */
export const kindOf = (table: string, column: string): keyof Columns | undefined => {
  const columns = tables[table]?.columns
  if (columns === undefined) return undefined
  const kinds = ["scope", "identity", "content", "facts"] as const
  return kinds.find((kind) => columns[kind].some((name) => name === column))
}

/** Where the registry and a schema (table name to column names) differ, one line each; none when they agree. */
export const differences = (schema: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const [table, columns] of schema) {
    const facts = tables[table]
    if (facts === undefined) {
      lines.push(`${table} is not listed`)
      continue
    }
    const listed = columnsOf(facts)
    lines.push(
      ...columns.filter((column) => !listed.includes(column)).map((column) => `${table}.${column} is not listed`),
      ...listed.filter((column) => !columns.includes(column)).map((column) =>
        `${table}.${column} is listed and not there`
      ),
      ...listed.filter((column, index) => listed.indexOf(column) !== index).map((column) =>
        `${table}.${column} is listed twice`
      )
    )
  }
  lines.push(
    ...Object.keys(tables).filter((table) => !schema.has(table)).map((table) => `${table} is listed and not there`)
  )
  return lines
}
