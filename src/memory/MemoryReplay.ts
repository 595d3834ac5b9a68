/**
 * As-of reads by key or id: the versions of a few memories are read without their values, the pure core says which of
 * them answer, and only those are read whole. A row that was replaced needs the claims of its successor, whoever wrote
 * it: of that row nothing but a date is used.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import * as AsOf from "./AsOf.ts"
import type { Claim, Mark, Successors } from "./AsOf.ts"
import type { Instant } from "./InstantModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { anyWriter } from "./MemoryReader.ts"
import type { MemoryReader, Place } from "./MemoryReader.ts"

export interface Replay {
  /** Versions known of each memory asked for, oldest first. */
  readonly marks: ReadonlyArray<ReadonlyArray<Mark>>
  readonly successors: Successors
}

/** What is known of these memories, and of the rows that replaced them. */
export const replay = (
  reader: MemoryReader["Type"],
  scope: Scope,
  places: ReadonlyArray<Place>,
  known: bigint | null
): Effect.Effect<Replay, StoreError> =>
  Effect.gen(function*() {
    const own = AsOf.byId(yield* reader.marks(scope, places, known), known)
    const named = new Set([...own.values()].flat().map(({ superseded_by }) => superseded_by))
    const ids = [...named].filter((id) => id !== "" && !own.has(id))
    const heads = yield* Effect.forEach(ids, (id) => reader.byId(scope, id, anyWriter), { concurrency: 4 })
    const others = heads.length === 0 ? [] : yield* reader.marks(scope, heads.flat(), known)
    return {
      marks: [...own.values()],
      successors: AsOf.successorsIn(new Map([...own, ...AsOf.byId(others, known)]))
    }
  })

/** The rows of these memories that answer at an instant, the latest date (or the newest version) first. */
export const answersAt = (
  reader: MemoryReader["Type"],
  scope: Scope,
  places: ReadonlyArray<Place>,
  instant: Instant
): Effect.Effect<ReadonlyArray<MemoryRow>, StoreError> =>
  Effect.gen(function*() {
    const { marks, successors } = yield* replay(reader, scope, places, instant.known)
    const found = instant.axis === "valid"
      ? marks.flatMap((versions): ReadonlyArray<Claim> => {
        const claim = AsOf.trueAt(AsOf.claimsOf(versions), instant.at, successors)
        return claim === undefined ? [] : [claim]
      }).sort(AsOf.laterFirst).map(({ last }) => last)
      : marks.flatMap((versions): ReadonlyArray<Mark> => {
        const mark = AsOf.servedAt(versions, instant.at)
        return mark === undefined ? [] : [mark]
      }).sort(AsOf.newestFirst)
    if (found.length === 0) return []
    const rows = yield* reader.versions(scope, found, found.map(({ version }) => version))
    return found.flatMap(({ version }) => rows.filter((row) => row.version === version))
  })
