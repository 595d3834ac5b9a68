/**
 * Several commits as one, as if they had been made one after the other: what an earlier one derived from a memory that a
 * later one hides is left out, since within one commit what is hidden goes first.
 */
import { identityKey } from "../kernel/Identity.ts"
import type { Commit } from "./MemoryStore.ts"

const withoutHidden = (commit: Commit, hidden: ReadonlySet<string>): Commit => {
  if (hidden.size === 0) return commit
  const stays = ({ identity }: { readonly identity: Parameters<typeof identityKey>[0] }) =>
    !hidden.has(identityKey(identity))
  return { ...commit, derived: commit.derived.filter(stays), entities: commit.entities.filter(stays) }
}

export const mergeCommits = (commits: ReadonlyArray<Commit>): Commit => {
  const hiddenLater = new Set<string>()
  const kept = [...commits].reverse().map((commit) => {
    const rest = withoutHidden(commit, hiddenLater)
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
