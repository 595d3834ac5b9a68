/**
 * What a commit of one namespace is about to write, in the form in which the fence keeps it: enough to void it whatever of
 * it comes in, and no word of any value.
 */
import { identityKey } from "../kernel/Identity.ts"
import type { Intent, Tenancy } from "./Fence.ts"
import type { Commit } from "./MemoryStore.ts"

/** The commit of an owner; `seq` rises from commit to commit. */
export const intentOf = ({ epoch, scope }: Tenancy, seq: bigint, { answers, audits, hidden, rows }: Commit): Intent => {
  const hides = new Set(hidden.map(identityKey))
  const versions = [
    ...rows.map(({ version }) => version),
    ...audits.map(({ position }) => position),
    ...answers.map(({ version }) => version)
  ]
  return {
    scope,
    epoch,
    seq,
    rows: rows.map((row) => ({
      agent: row.agent,
      user_id: row.user_id,
      session_id: row.session_id,
      memory_key: row.memory_key,
      memory_id: row.memory_id,
      version: row.version,
      hides: hides.has(identityKey(row))
    })),
    links: audits.map(({ position }) => position),
    answers: answers.map(({ idem_hash }) => idem_hash),
    top: versions.reduce((top, version) => version > top ? version : top, 0n)
  }
}
