/** The tables of background work and of language models: what workers keep and measure, what models took and said. See `Tables`. */
import { scope } from "./TableFacts.ts"
import type { TableFacts } from "./TableFacts.ts"

export const workTables: Readonly<Record<string, TableFacts>> = {
  worker_cursors: {
    columns: { scope, identity: [], content: [], facts: ["worker", "epoch", "position", "failures", "code", "at"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  worker_pauses: {
    columns: { scope, identity: [], content: [], facts: ["worker", "paused", "actor", "at", "version"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  worker_status: {
    columns: { scope: [], identity: [], content: [], facts: ["worker", "state", "code", "epoch", "at"] },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  worker_dead_letters: {
    // Names the row by its id alone, and what went wrong by a code: it says nothing of what was said.
    columns: {
      scope,
      identity: ["memory_id"],
      content: [],
      facts: ["worker", "position", "change", "code", "tries", "first_at", "at", "state", "actor", "version"]
    },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "settled"
  },
  calibrations: {
    columns: {
      scope: [],
      identity: [],
      content: [],
      facts: [
        "embedder_id",
        "conflict",
        "duplicate",
        "sentences",
        "near_low",
        "near_median",
        "reworded_low",
        "topic_median",
        "far_high",
        "measured_at",
        "measured_by"
      ]
    },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  model_usage: {
    // Counts alone; they outlive an erasure of what was asked about, as a bill does.
    columns: {
      scope,
      identity: [],
      content: [],
      facts: ["day", "purpose", "model", "calls", "failed", "tokens_in", "tokens_out", "cost"]
    },
    person: null,
    erase: "keep",
    export: "local",
    rollback: "stay",
    prune: "nothing"
  },
  model_answers: {
    columns: { scope, identity: [], content: ["prompt_hash", "reply"], facts: ["model", "truncated", "at"] },
    person: null,
    erase: "scope",
    export: "local",
    rollback: "stay",
    prune: "month"
  }
}
