/**
 * A merged commit taken apart again: what it holds of each namespace, in the order in which it holds it.
 */
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { emptyCommit } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"

/** What a commit holds of one namespace. */
export interface Part {
  readonly scope: Scope
  readonly commit: Commit
}

type Lists = { [K in keyof Commit]: Array<Commit[K][number]> }

const bare = ({ namespace, org }: Scope): Scope => ({ org, namespace })

/** The parts; an empty one for each of the scopes given of which the commit holds nothing. */
export const partsOf = (commit: Commit, scopes: ReadonlyArray<Scope> = []): ReadonlyArray<Part> => {
  const parts = new Map<string, { readonly scope: Scope; readonly commit: Lists }>()
  const partOf = (scope: Scope): Lists => {
    const id = actorId(scope)
    const found = parts.get(id)
    if (found !== undefined) return found.commit
    const made: Lists = { rows: [], derived: [], entities: [], ceilings: [], answers: [], hidden: [], audits: [] }
    parts.set(id, { scope: bare(scope), commit: made })
    return made
  }
  for (const scope of scopes) partOf(scope)
  for (const row of commit.rows) partOf(row).rows.push(row)
  for (const one of commit.derived) partOf(one.identity).derived.push(one)
  for (const one of commit.entities) partOf(one.identity).entities.push(one)
  for (const one of commit.ceilings) partOf(one.scope).ceilings.push(one)
  for (const one of commit.answers) partOf(one.scope).answers.push(one)
  for (const one of commit.hidden) partOf(one).hidden.push(one)
  for (const one of commit.audits) partOf(one).audits.push(one)
  return [...parts.values()].map(({ commit, scope }) => ({ scope, commit: { ...emptyCommit, ...commit } }))
}
