/**
 * Several commits as one, as if they had been made one after the other; and how many of them one insert takes. Within one
 * commit what is hidden goes first, so what an earlier one derived from a memory that a later one hides is left out.
 */
import { identityKey } from "../kernel/Identity.ts"
import type { Commit } from "./MemoryStore.ts"

// One merged insert: enough rows that its fixed cost is spread, few enough that it stays one block and its answers do not
// wait for a whole mailbox of bulks.
export const MAX_ROWS = 500
// In UTF-16 units of values; far below the block size at which the engine would split an insert.
export const MAX_SIZE = 16 * 1024 * 1024

const sizeOf = ({ rows }: Commit): number => rows.reduce((sum, row) => sum + row.value.length, 0)

/** Whether there is anything to be stored; what is derived, hidden or promised comes with it. */
export const isEmpty = ({ answers, audits, rows }: Commit): boolean =>
  rows.length + answers.length + audits.length === 0

/** The longest run of commits that fits one insert; of some always at least one. */
export const fitting = (commits: ReadonlyArray<Commit>): number => {
  let rows = 0
  let size = 0
  for (const [index, commit] of commits.entries()) {
    rows += commit.rows.length
    size += sizeOf(commit)
    if (index > 0 && (rows > MAX_ROWS || size > MAX_SIZE)) return index
  }
  return commits.length
}

/** A commit in which nothing is derived from these identities. */
export const withoutDerived = (commit: Commit, hidden: ReadonlySet<string>): Commit => {
  if (hidden.size === 0) return commit
  const stays = ({ identity }: { readonly identity: Parameters<typeof identityKey>[0] }) =>
    !hidden.has(identityKey(identity))
  return { ...commit, derived: commit.derived.filter(stays), entities: commit.entities.filter(stays) }
}

/** All of them as one, in their order. */
export const mergeCommits = (commits: ReadonlyArray<Commit>): Commit => {
  const hiddenLater = new Set<string>()
  const kept = [...commits].reverse().map((commit) => {
    const rest = withoutDerived(commit, hiddenLater)
    for (const identity of commit.hidden) hiddenLater.add(identityKey(identity))
    return rest
  }).reverse()
  return {
    rows: kept.flatMap(({ rows }) => rows),
    derived: kept.flatMap(({ derived }) => derived),
    entities: kept.flatMap(({ entities }) => entities),
    ceilings: kept.flatMap(({ ceilings }) => ceilings),
    answers: kept.flatMap(({ answers }) => answers),
    audits: kept.flatMap(({ audits }) => audits),
    hidden: kept.flatMap(({ hidden }) => hidden)
  }
}
