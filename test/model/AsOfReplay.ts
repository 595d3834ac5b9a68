/**
 * Where reads of the past are held against the model. After a history, every replay is given all versions of the namespace
 * and, for each act, when it was over and what the model held then; it answers in words what is wrong. Reads on the two time
 * axes (`as_of` by valid time and by knowledge time) are put into `replays`; the model's rows say what was believed when.
 */
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import type { Rows } from "./ReferenceRow.ts"

/** How things stood when an act was over. */
export interface Stand {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The newest version of the namespace at that moment. */
  readonly version: bigint
  readonly rows: Rows
}

export interface Past {
  /** Every version, oldest first. */
  readonly history: ReadonlyArray<MemoryRow>
  readonly stands: ReadonlyArray<Stand>
  readonly labelOf: (memoryId: string) => string | undefined
}

export type Replay = (past: Past) => ReadonlyArray<string>

export const replays: ReadonlyArray<Replay> = []
