/**
 * How a source is cut into calls: batches of one namespace each, by count and size, the same for the same file whatever
 * was imported already. Batches go side by side, except where one key stands in several of them: those keep the order of
 * the file, so that the last line wins. Pure.
 */
import * as Either from "effect/Either"
import type { ImportItem, ItemFault } from "./ImportItem.ts"
import type { ImportSource } from "./ImportSource.ts"

export interface Batch {
  readonly scope: ImportItem["scope"]
  /** Sent by `memory.set`. */
  readonly alone: boolean
  /** Indexes into the source. */
  readonly items: ReadonlyArray<number>
}

export interface Plan {
  /** Each lane is sent one batch after the other; lanes go side by side. */
  readonly lanes: ReadonlyArray<ReadonlyArray<Batch>>
  readonly faults: ReadonlyArray<ItemFault & { readonly index: number }>
}

export interface BatchLimits {
  readonly items: number
  /** Of the items' JSON text; a request body may have 4 MiB. */
  readonly bytes: number
}

interface Open {
  readonly scope: ImportItem["scope"]
  readonly batches: Array<Batch>
  items: Array<number>
  bytes: number
  /** The batch in which a writer's key was seen. */
  readonly seen: Map<string, number>
  ordered: boolean
}

const close = (open: Open): void => {
  if (open.items.length === 0) return
  open.batches.push({ scope: open.scope, alone: false, items: open.items })
  open.items = []
  open.bytes = 0
}

const writerKey = ({ fields }: ImportItem): string =>
  JSON.stringify(["agent", "user_id", "session_id", "memory_key"].map((name) => fields[name] ?? ""))

const add = (open: Open, index: number, item: ImportItem, limits: BatchLimits): void => {
  const bytes = Buffer.byteLength(JSON.stringify(item.fields))
  if (item.alone || open.items.length >= limits.items || open.bytes + bytes > limits.bytes) close(open)
  const batch = open.batches.length
  const key = writerKey(item)
  const earlier = open.seen.get(key)
  if (earlier !== undefined && earlier !== batch) open.ordered = true
  open.seen.set(key, batch)
  if (item.alone) return void open.batches.push({ scope: open.scope, alone: true, items: [index] })
  open.items.push(index)
  open.bytes += bytes
}

export const make = (source: ImportSource, limits: BatchLimits): Plan => {
  const scopes = new Map<string, Open>()
  const faults: Array<ItemFault & { readonly index: number }> = []
  for (let index = 0; index < source.size; index++) {
    const item = source.at(index)
    if (Either.isLeft(item)) {
      faults.push({ ...item.left, index })
      continue
    }
    const name = JSON.stringify(item.right.scope)
    const open = scopes.get(name) ??
      { scope: item.right.scope, batches: [], items: [], bytes: 0, seen: new Map(), ordered: false }
    scopes.set(name, open)
    add(open, index, item.right, limits)
  }
  for (const open of scopes.values()) close(open)
  const lanes = [...scopes.values()].flatMap(({ batches, ordered }) =>
    ordered ? [batches] : batches.map((batch) => [batch])
  )
  return { lanes, faults }
}
