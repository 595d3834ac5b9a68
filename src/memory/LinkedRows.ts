/**
 * What versions tell of other rows, held against what their reader may know: a token bound to one user hears nothing of
 * another user's row that took the place of its own (id, writer, words), and nobody hears what a rule quoted of a row
 * whose value is withheld by now.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { causeIn } from "./MemoryCause.ts"
import type { Cause } from "./MemoryCause.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { MemoryReader } from "./MemoryReader.ts"

/** Ids of rows that versions name and their reader may not know of, and of those whose value is withheld. */
export interface Hidden {
  readonly foreign: ReadonlySet<string>
  readonly high: ReadonlySet<string>
}

export const nothingHidden: Hidden = { foreign: new Set(), high: new Set() }

type Naming = Pick<MemoryRow, "superseded_by" | "cause">

// The one rule that crosses users; what it did to the links of a row is told under `newest_wins.key.unflag`.
const CROSSING = "newest_wins.key"

/** The rows that may be another user's. */
const namedBy = ({ cause, superseded_by }: Naming): ReadonlyArray<string> => {
  const told = causeIn(cause)
  return [superseded_by, told?.rule.startsWith(CROSSING) === true ? told.memory_id ?? "" : ""]
}

// Rows looked up at once, as the engine runs them side by side.
const LOOKUPS = 8

/** Looks up what the versions name; `causes` asks for every row that a cause is told with, for whoever shows causes. */
export const hiddenIn = (
  reader: typeof MemoryReader.Service,
  scope: Scope,
  bound: string | null,
  versions: ReadonlyArray<Naming>,
  causes: boolean
): Effect.Effect<Hidden, StoreError> =>
  Effect.gen(function*() {
    const crossing = bound === null ? [] : versions.flatMap(namedBy)
    const told = causes ? versions.map(({ cause }) => causeIn(cause)?.memory_id ?? "") : []
    const ids = [...new Set([...crossing, ...told])].filter((id) => id !== "")
    const found = yield* Effect.forEach(
      ids,
      (id) => reader.byId(scope, id, { agent: null, user_id: bound, session_id: null }),
      { concurrency: LOOKUPS }
    )
    const foreign = new Set(bound === null ? [] : ids.filter((_, at) => found[at]?.length === 0))
    return { foreign, high: highIn(found.flat()) }
  })

export const highIn = (rows: ReadonlyArray<Pick<MemoryRow, "memory_id" | "sensitivity">>): ReadonlySet<string> =>
  new Set(rows.filter(({ sensitivity }) => sensitivity === "high").map(({ memory_id }) => memory_id))

/** Whether a version was written on account of a row that its reader may not know of. */
export const isForeign = ({ cause }: Pick<Naming, "cause">, { foreign }: Hidden): boolean =>
  foreign.size > 0 && foreign.has(causeIn(cause)?.memory_id ?? "")

/** Who wrote a version; empty when that was another user. */
export const actorOf = (version: Pick<MemoryRow, "actor" | "cause">, hidden: Hidden): string =>
  isForeign(version, hidden) ? "" : version.actor

/** Why a version was written; `isHigh`: the value of its own row is withheld. */
export const causeOf = (version: Pick<MemoryRow, "cause">, isHigh: boolean, hidden: Hidden): Cause | null => {
  const cause = causeIn(version.cause)
  if (cause === null) return null
  const other = cause.memory_id ?? ""
  return {
    ...cause,
    ...(hidden.foreign.has(other) ? { memory_id: null, evidence: "" } : {}),
    ...(isHigh || hidden.high.has(other) ? { evidence: "" } : {})
  }
}
