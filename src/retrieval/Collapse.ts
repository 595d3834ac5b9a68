/**
 * Memories that say the same are one hit with a count. The same are those of equal canonical text that the writer's rules
 * hold for one claim (of one type and user, in the same state), and a duplicate beside the memory it is a duplicate of.
 * Nothing else is: closeness folds no two memories, and both sides of a contradiction stay.
 */
import type { Ranked } from "./Fusion.ts"
import type { Head } from "./SearchModel.ts"

export interface Folded {
  readonly ranked: Ranked
  /** How many more memories this hit stands for. */
  readonly siblings: number
}

/** One of each claim, in the order given: the best of those that stand, or of the duplicates when no other is there. */
export const collapse = (ranked: ReadonlyArray<Ranked>): ReadonlyArray<Folded> => {
  const standing = ranked.filter(({ candidate }) => candidate.head.status !== "duplicate")
  const duplicates = ranked.filter(({ candidate }) => candidate.head.status === "duplicate")
  const pointing = new Map(duplicates.map(({ candidate: { head } }) => [head.memory_id, head.duplicate_of]))
  const leaders = new Map<string, Ranked>()
  const siblings = new Map<Ranked, number>()
  /** Under the first of its names that leads somewhere, or as a leader of its own under all of them. */
  const fold = (one: Ranked, names: ReadonlyArray<string>, own: string): void => {
    const leader = names.map((name) => leaders.get(name)).find((found) => found !== undefined) ?? one
    if (leader !== one) siblings.set(leader, (siblings.get(leader) ?? 0) + 1)
    for (const name of leader === one ? [...names, own] : [own]) leaders.set(name, leader)
    if (leader === one) siblings.set(one, siblings.get(one) ?? 0)
  }
  for (const one of standing) {
    const { head } = one.candidate
    fold(one, claimOf(head, head.status), idOf(head.memory_id))
  }
  for (const one of duplicates) {
    const { head } = one.candidate
    const of = head.duplicate_of === "" ? [] : [idOf(lastOf(head.duplicate_of, pointing))]
    fold(one, [...of, ...claimOf(head, "active")], idOf(head.memory_id))
  }
  return ranked.flatMap((one): ReadonlyArray<Folded> => {
    const count = siblings.get(one)
    return count === undefined ? [] : [{ ranked: one, siblings: count }]
  })
}

/** The end of a chain of duplicates as far as it is there; of a ring the least id, so that all its members agree. */
const lastOf = (memory_id: string, pointing: ReadonlyMap<string, string>): string => {
  const seen: Array<string> = []
  for (let at = memory_id; at !== "" && !seen.includes(at); at = pointing.get(at) ?? "") seen.push(at)
  const last = seen.at(-1) ?? memory_id
  return seen.includes(pointing.get(last) ?? "") ? seen.reduce((least, id) => id < least ? id : least) : last
}

const idOf = (memory_id: string): string => `id ${memory_id}`

/** The claim a memory states; none where canonical forms do not count, as in types that are not judged. */
const claimOf = ({ canonical_sha256, memory_type, user_id }: Head, status: string): ReadonlyArray<string> =>
  canonical_sha256 === "" ? [] : [`claim ${JSON.stringify([memory_type, user_id, status, canonical_sha256])}`]
