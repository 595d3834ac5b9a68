/**
 * Who gave a memory the entities it has: its writer, or the rule that derives them. The history says it: of the versions
 * that hold the list without a break, the first one brought it. A rollback brings back what an earlier version held, so there the
 * look goes on at that one. Pure. A writer who states the very list that was derived is not told apart from one who
 * carries it along.
 */
import { causeIn } from "./MemoryCause.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** The rule in the cause of a version by which entities were derived. */
export const DERIVED_ENTITIES = "entities.derived"

/** What the cause of such a version goes by: the version that it named the things of. */
export const namedOn = (version: bigint): string => `on version ${version}`

/**
 * Whether nothing but derived entities came to a row since a version of it: whoever went by that version has missed nothing
 * that he could have decided by.
 */
export const isOnlyNamedSince = ({ cause }: Pick<MemoryRow, "cause">, version: string): boolean => {
  const known = causeIn(cause)
  return known?.rule === DERIVED_ENTITIES && known.evidence === `on version ${version}`
}

export type EntitySource = "derived" | "stated"

type Held = Pick<MemoryRow, "entities" | "content_sha256" | "change" | "cause" | "status">

/** The source of the list that the first of these versions holds; newest first, all of one memory. Null when it lies further back. */
export const sourceOf = (versions: ReadonlyArray<Held>, isWhole: boolean): EntitySource | null => {
  const held = versions.filter(({ status }) => status !== "void")
  const [head] = held
  if (head === undefined) return null
  const isSame = ({ entities }: Held) => sameNames(entities, head.entities)
  let at = 0
  for (;;) {
    while (at + 1 < held.length && isSame(held[at + 1] ?? head)) at += 1
    const first = held[at]
    const isLast = at + 1 >= held.length
    if (first === undefined) return null
    if (causeIn(first.cause)?.rule === DERIVED_ENTITIES) return "derived"
    if (isLast) return isWhole ? "stated" : null
    if (first.change !== "rollback") return "stated"
    const earlier = held.findIndex((one, index) =>
      index > at && isSame(one) && one.content_sha256 === first.content_sha256
    )
    if (earlier < 0) return isWhole ? "stated" : null
    at = earlier
  }
}

export const sameNames = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((name, at) => name === right[at])
