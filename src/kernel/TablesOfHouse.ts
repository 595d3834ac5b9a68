/** The tables beside what was said: who may write what, and what keeps commits in one order. See `Tables`. */
import { fence, scope } from "./TableFacts.ts"
import type { TableFacts } from "./TableFacts.ts"

/** Namespaces, tokens, patterns and what the installation keeps of itself. */
export const houseTables: Readonly<Record<string, TableFacts>> = {
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
  authority: {
    columns: { scope: [], identity: [], content: [], facts: ["part", "authority", "decided_at"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  authorities: {
    store: "postgres",
    columns: {
      scope: [],
      identity: [],
      content: [],
      facts: ["part", "authority", "mover", "moving_until", "closed"]
    },
    person: null,
    erase: "keep",
    export: "local",
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

/** Versions given out, takings and intents of the fence, and the answers kept for a request that comes again. */
export const commitTables: Readonly<Record<string, TableFacts>> = {
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
  }
}
