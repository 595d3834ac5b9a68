/**
 * Which memories a report means: by id whatever became of the row, by key the row in service that the run's own writer
 * holds, else the newest. What the caller may not read is not found, as what does not exist.
 */
import * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { isLive } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import type { MemoryReader } from "../memory/MemoryReader.ts"

// Keyed reads side by side, as many as leave room for other readers.
const LOOKUPS = 8

const isOf = ({ agent, session_id, user_id }: Writer) => (row: MemoryRow): boolean =>
  row.agent === agent && row.session_id === session_id && row.user_id === user_id

export interface UsedRows {
  /** Each memory once, in the order in which it was named first. */
  readonly rows: ReadonlyArray<MemoryRow>
  readonly unknown: ReadonlyArray<string>
}

export const usedRows = (
  reader: MemoryReader["Type"],
  scope: Scope,
  user: string | null,
  own: Writer,
  names: ReadonlyArray<string>,
  now: number
): Effect.Effect<UsedRows, StoreError> => {
  const writer = { agent: null, user_id: user, session_id: null }
  const find = (name: string) =>
    Effect.gen(function*() {
      const [byId] = name.startsWith("mem_") ? yield* reader.byId(scope, name, writer) : []
      if (byId !== undefined && byId.status !== "void") return byId
      const rows = (yield* reader.byKey(scope, name, writer)).filter((row) => isLive(row, now))
      return rows.find(isOf(own)) ?? rows[0]
    })
  return Effect.map(
    Effect.forEach([...new Set(names)], (name) => Effect.map(find(name), (row) => ({ name, row })), {
      concurrency: LOOKUPS
    }),
    (found) => ({
      rows: [...new Map(found.flatMap(({ row }) => row === undefined ? [] : [[row.memory_id, row] as const])).values()],
      unknown: found.flatMap(({ name, row }) => row === undefined ? [name] : [])
    })
  )
}
