/**
 * The terms of a memory (all that its writer stated beside key and value) and what keeps them, pure. A read_only lock
 * holds every term, a no_delete lock those that would end the memory sooner, a pin all of them against a write that does
 * not itself pin. What changes nothing is no change: it passes.
 */
import type { SetItem, Statement } from "./MemoryCommand.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { marked } from "./MemoryType.ts"
import { isLocked } from "./WritePolicy.ts"

export type Term = keyof Statement

// The statement's own columns, so that they can be walked by name.
const TERMS = [
  "tags",
  "entities",
  "relations",
  "files",
  "confidence",
  "source_trace",
  "source_resource_id",
  "expires_at",
  "on_expire",
  "expire_reason",
  "valid_at",
  "valid_to",
  "pinned",
  "char_limit",
  "memory_type",
  "sensitivity"
] as const satisfies ReadonlyArray<Term>

/** Equal; lists by their parts, in order. */
export const isSame = (left: unknown, right: unknown): boolean =>
  Array.isArray(left) && Array.isArray(right)
    ? left.length === right.length && left.every((one, at) => one === right[at])
    : left === right

/** The stated terms that a row does not have already. */
export const changedTerms = (row: MemoryRow, statement: Statement): ReadonlyArray<Term> =>
  TERMS.filter((term) => {
    const stated = statement[term]
    if (stated === undefined) return false
    // A retyped row answers to the type it was given, and carries a tag that its writer did not state.
    if (term === "memory_type") return stated !== row.memory_type && stated !== row.retyped_from
    if (term === "tags" && statement.tags !== undefined) {
      return !isSame(marked({ ...row, tags: statement.tags }).tags, row.tags)
    }
    return !isSame(stated, row[term])
  })

/** Whether an end comes before the one a row has. */
export const isSooner = (end: number | null | undefined, than: number | null): boolean =>
  typeof end === "number" && (than === null || end < than)

/** Whether a statement ends a memory before it would. */
export const endsSooner = (row: MemoryRow, { expires_at, valid_to }: Statement): boolean =>
  isSooner(expires_at, row.expires_at) || isSooner(valid_to, row.valid_to)

/** The terms of a statement that a lock or a pin of the row keeps from being changed. */
export const heldTerms = (
  row: MemoryRow,
  statement: Statement,
  by: { readonly mayReplacePinned: boolean; readonly now: number }
): ReadonlyArray<Term> => {
  const locked = isLocked(row, by.now)
  const changed = locked || row.pinned ? changedTerms(row, statement) : []
  return (locked && row.lock_mode === "read_only") || (row.pinned && !by.mayReplacePinned)
    ? changed
    : locked
    ? changed.filter((term) => (term === "expires_at" || term === "valid_to") && isSooner(statement[term], row[term]))
    : []
}

/**
 * A restatement of a held row without the terms that are kept. A label that the server gives itself is no term of the writer
 * and stays: what is known for a secret is hidden, locked or not.
 */
export const withoutTerms = (item: SetItem, row: MemoryRow, held: ReadonlyArray<Term>): SetItem => {
  if (held.length === 0) return item
  const { content, statement } = item
  const dropped = new Set<string>(held.includes("expires_at") ? [...held, "on_expire", "expire_reason"] : held)
  const kept: Statement = Object.fromEntries(Object.entries(statement).filter(([name]) => !dropped.has(name)))
  return {
    ...item,
    statement: kept,
    content: {
      ...content,
      ...(held.includes("memory_type") ? { memory_type: row.memory_type, retyped_from: row.retyped_from } : {}),
      ...(held.includes("sensitivity") ? { sensitivity: row.sensitivity } : {})
    },
    advisories: [
      ...item.advisories,
      `The memory is ${row.pinned ? "pinned" : "locked"} and keeps its own terms; not applied: ${held.join(", ")}`
    ]
  }
}
