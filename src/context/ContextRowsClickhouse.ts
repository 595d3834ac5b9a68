/**
 * What the statements of this slice share: the scope that leads each, the places of memories, and what a row must be to be
 * shown in a block.
 */
import type { Scope, Writer } from "../kernel/Identity.ts"
import { SERVED_STATUSES } from "../memory/MemoryModel.ts"
import type { Status } from "../memory/MemoryModel.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"

/** A server refuses a parameter above 128 KiB; a place is some 100 bytes. */
export const PLACES_AT_ONCE = 500

export const inScope = ({ namespace, org }: Scope): Fragment =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}`

/** The scope, and the writer as far as it is given, in the order of the sort key. */
export const within = (scope: Scope, writer: { readonly [Name in keyof Writer]: string | null }): Fragment =>
  ch.join([
    inScope(scope),
    ...(["agent", "user_id", "session_id"] as const).flatMap((name) => {
      const value = writer[name]
      return value === null ? [] : [ch.fragment`${ch.identifier(name)} = ${ch.string(value)}`]
    })
  ], " AND ")

export const placeColumns: Fragment = ch.fragment`agent, user_id, session_id, memory_key`

export const inPlaces = (places: ReadonlyArray<Writer & { readonly memory_key: string }>): Fragment =>
  ch.fragment`(${placeColumns}) IN ${
    ch.tuples(
      ["String", "String", "String", "String"],
      places.map((at) => [at.agent, at.user_id, at.session_id, at.memory_key])
    )
  }`

/** What may be shown at `now`, in milliseconds since 1970. */
export const served = (now: number, statuses: ReadonlyArray<Status> = SERVED_STATUSES): Fragment => {
  const at = ch.dateTime64(now)
  return ch.fragment`status IN ${ch.array("String", statuses)} AND sensitivity != 'high'
    AND value_kind != 'redacted'
    AND (expires_at IS NULL OR expires_at > ${at}) AND (valid_to IS NULL OR valid_to > ${at})`
}
