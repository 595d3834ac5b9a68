/**
 * The row that a request about one memory means, by id or under a key. Outside the caller's bounds, and void, it is not
 * there.
 */
import * as Effect from "effect/Effect"
import { readableUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { isLive } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { ambiguous } from "./MemoryPlanTarget.ts"
import type { MemoryReader } from "./MemoryReader.ts"

export interface Named {
  readonly memory_key?: string | undefined
  readonly memory_id?: string | undefined
  readonly agent?: string | undefined
  readonly user_id?: string | undefined
  readonly session_id?: string | undefined
}

type Found<A> = Effect.Effect<A, LoomError>

/** Every row that is named, newest version first. */
const found = (
  reader: MemoryReader["Type"],
  scope: Scope,
  caller: Caller,
  named: Named
): Found<ReadonlyArray<MemoryRow>> =>
  Effect.gen(function*() {
    if (named.memory_key === undefined && named.memory_id === undefined) {
      return yield* refuse("INVALID_ARGUMENT", "`memory_key` or `memory_id` is needed", { field: "memory_key" })
    }
    const { none, user } = readableUser(caller, named.user_id)
    if (none) return []
    const writer = { agent: named.agent ?? null, user_id: user, session_id: named.session_id ?? null }
    const rows = named.memory_id !== undefined
      ? yield* reader.byId(scope, named.memory_id, writer)
      : yield* reader.byKey(scope, named.memory_key ?? "", writer)
    return rows.filter((row) => row.status !== "void" && (named.memory_key ?? row.memory_key) === row.memory_key)
  })

/** For a read: the newest live row, else the newest. */
export const lookup = (
  reader: MemoryReader["Type"],
  scope: Scope,
  caller: Caller,
  named: Named,
  now: number
): Found<MemoryRow | undefined> =>
  Effect.map(found(reader, scope, caller, named), (rows) => rows.find((row) => isLive(row, now)) ?? rows[0])

/** For a change: the one row that is meant; several writers' rows under the key are refused, not chosen from. */
export const lookupOne = (
  reader: MemoryReader["Type"],
  scope: Scope,
  caller: Caller,
  named: Named,
  isMeant: (row: MemoryRow) => boolean
): Found<MemoryRow | undefined> =>
  Effect.flatMap(found(reader, scope, caller, named), (all): Found<MemoryRow | undefined> => {
    const rows = all.filter(isMeant)
    return rows.length > 1 ? Effect.fail(ambiguous(rows)) : Effect.succeed(rows[0])
  })
