/** The rows that answer at an instant, of versions in memory: what `AsOfClickhouse` says in SQL. */
import { byId, claimsOf, successorsIn, trueAt } from "./AsOf.ts"
import type { Instant } from "./InstantModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"

export const rowsAsOf = (versions: Iterable<MemoryRow>, { at, axis, known }: Instant): ReadonlyArray<MemoryRow> => {
  const groups = byId(versions, known)
  const successors = successorsIn(groups)
  return [...groups.values()].flatMap((rows) => {
    const version = axis === "knowledge" ? rows.at(-1)?.version : trueAt(claimsOf(rows), at, successors)?.last.version
    return rows.filter((row) => row.version === version)
  })
}
