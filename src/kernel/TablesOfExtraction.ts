/** The table of extraction: the queue of transcripts that are to become memories. See `Tables`. */
import { scope } from "./TableFacts.ts"
import type { TableFacts } from "./TableFacts.ts"

export const extractionTables: Readonly<Record<string, TableFacts>> = {
  extraction_jobs: {
    columns: {
      scope,
      identity: ["agent", "user_id", "session_id"],
      // Receipts name keys and content hashes.
      content: ["user_name", "receipts"],
      facts: [
        "job_id",
        "run_id",
        "actor",
        "bound_user",
        "extractor",
        "max_tokens",
        "turn_ids",
        "told",
        "observed_at",
        "state",
        "code",
        "tries",
        "faults",
        "retry_at",
        "created_at",
        "at",
        "epoch",
        "version"
      ]
    },
    person: "user_id",
    erase: "rows",
    // The turns it names are exported, and so are the memories that came of it.
    export: "local",
    rollback: "stay",
    // A transcript that comes again is known by its job.
    prune: "nothing"
  }
}
