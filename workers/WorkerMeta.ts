/** What a worker's own writes say of themselves: derived, by the process that the worker is, and asked for by nobody. */
import * as Effect from "effect/Effect"
import { mintWriteId } from "../src/kernel/Ids.ts"
import type { WriteMeta } from "../src/memory/MemoryCommand.ts"

export const metaOf = (worker: string) =>
  Effect.map(mintWriteId, (write_id): WriteMeta => ({
    write_id,
    idem_hash: "",
    payload_hash: "",
    actor: `process:${worker}`,
    bound_user: null,
    source_class: "derived",
    run_id: "",
    dry_run: false,
    advisories: [],
    degraded: []
  }))
