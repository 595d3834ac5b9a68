/**
 * How many parts each table of an embedded engine has, read off its folder, so that the engine is asked nothing: tables are
 * named by their metadata, and of the parts on disk those count that no merged part covers. Those that one covers lie
 * there for some minutes more.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const entriesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    // Made or removed meanwhile
    return []
  }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

interface Part {
  readonly partition: string
  readonly first: number
  readonly last: number
  readonly level: number
  readonly mutation: number
}

/** `partition_first_last_level`, and the mutation that rewrote it. */
const partOf = (name: string): Part | undefined => {
  const [, partition, first, last, level, mutation] = /^([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/.exec(name) ?? []
  return partition === undefined
    ? undefined
    : { partition, first: Number(first), last: Number(last), level: Number(level), mutation: Number(mutation ?? 0) }
}

const covers = (one: Part, other: Part): boolean =>
  one !== other && one.partition === other.partition && one.first <= other.first && one.last >= other.last &&
  (one.level > other.level || (one.level === other.level && one.mutation > other.mutation))

/** Parts that no other covers. */
export const standing = (names: ReadonlyArray<string>): number => {
  const parts = names.flatMap((name) => partOf(name) ?? [])
  return parts.filter((part) => !parts.some((other) => covers(other, part))).length
}

/** Parts by table, of the engine whose folder this is; only tables that have any. */
export const partsIn = (folder: string): ReadonlyMap<string, number> => {
  const store = join(folder, "store")
  const found = new Map<string, number>()
  const databases = entriesOf(store).flatMap((prefix) => entriesOf(join(store, prefix)).map((id) => join(prefix, id)))
  for (const database of databases) {
    for (const file of entriesOf(join(store, database)).filter((name) => name.endsWith(".sql"))) {
      const id = /UUID '([0-9a-f-]{36})'/.exec(textOf(join(store, database, file)))?.[1]
      if (id === undefined) continue
      const count = standing(entriesOf(join(store, id.slice(0, 3), id)))
      if (count > 0) found.set(file.slice(0, -".sql".length), count)
    }
  }
  return found
}
