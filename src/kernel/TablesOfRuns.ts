/** The tables of runs and of what they say of memories. See `Tables`. */
import { scope } from "./TableFacts.ts"
import type { TableFacts } from "./TableFacts.ts"

export const runTables: Readonly<Record<string, TableFacts>> = {
  runs: {
    columns: {
      scope,
      identity: ["run_id", "agent", "user_id", "session_id"],
      content: [
        "goal",
        "user_request",
        "expected_outcome",
        "environment",
        "metadata",
        "begun_sha256",
        "final_response",
        "completion",
        "memories_used",
        "unknown_used",
        "recalled_keys",
        "completed_sha256"
      ],
      facts: [
        "status",
        "model",
        "consumer",
        "role",
        "budget_usd",
        "budget_seconds",
        "begun_at",
        "begun_by",
        "outcome",
        "weight",
        "confidence",
        "duration_ms",
        "reflection_id",
        "retain",
        "completed_at",
        "completed_by",
        "version"
      ]
    },
    person: "user_id",
    erase: "rows",
    export: "rows",
    rollback: "stay",
    prune: "nothing"
  },
  memory_uses: {
    // An erasure of a person takes what was reported for him; that of a memory takes all reports on it.
    columns: {
      scope,
      identity: ["memory_id", "owner_id", "user_id"],
      content: ["note"],
      facts: ["caller", "day", "source", "run_id", "outcome", "credit", "harm", "at", "recorded_at", "version"]
    },
    person: "user_id",
    erase: "rows",
    export: "rows",
    rollback: "stay",
    prune: "votes"
  },
  memory_usage: {
    columns: {
      scope,
      identity: ["memory_id", "user_id"],
      content: [],
      facts: ["credit", "harm", "last_at", "used_count", "harm_count", "version"]
    },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "follows",
    prune: "nothing"
  }
}
