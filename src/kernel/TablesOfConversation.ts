/** The tables of what was said in conversations. See `Tables`. */
import { scope } from "./TableFacts.ts"
import type { TableFacts } from "./TableFacts.ts"

const identity: ReadonlyArray<string> = ["agent", "user_id", "session_id", "turn_id"]

export const conversationTables: Readonly<Record<string, TableFacts>> = {
  conversation_turns: {
    columns: {
      scope,
      identity,
      content: ["speaker", "content", "content_sha256", "source_resource_id", "delete_reason"],
      facts: [
        "position",
        "role",
        "at",
        "recorded_at",
        "said_at",
        "sensitivity",
        "actor",
        "run_id",
        "deleted_at",
        "deleted_by",
        "version"
      ]
    },
    person: "user_id",
    erase: "rows",
    export: "rows",
    // Evidence of what was said is no state of memory: it stays when memory goes back.
    rollback: "stay",
    prune: "nothing"
  },
  conversation_chunks: {
    columns: {
      scope,
      identity,
      content: ["stems", "lemmas", "terms", "vector", "signs", "bytes", "speaker"],
      facts: ["chunk_index", "embedder_id", "start_at", "end_at", "role", "run_id", "said_at", "position"]
    },
    person: "user_id",
    erase: "rows",
    export: "derived",
    rollback: "stay",
    prune: "unreferred"
  }
}
