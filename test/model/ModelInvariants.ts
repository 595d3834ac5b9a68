/**
 * What holds of the rows of a namespace whatever was done to it, read off the rows alone.
 */
import { linkHash, linkOf } from "../../src/memory/AuditChain.ts"
import { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { claimIn, saidOf } from "./ModelClaims.ts"
import { labelOf } from "./ModelSteps.ts"

const isServed = ({ status }: MemoryRow) => status === "active" || status === "conflicted"

/** Links between heads: mutual, never dangling, and never to a row that cannot answer. */
export const linkFaults = (heads: ReadonlyArray<MemoryRow>): ReadonlyArray<string> => {
  const byId = new Map(heads.map((row) => [row.memory_id, row]))
  const faults: Array<string> = []
  if (byId.size !== heads.length) faults.push("two heads have one id")
  for (const row of heads) {
    const fault = (text: string) => faults.push(`<${labelOf(row)}> (${row.status}) ${text}`)
    if (row.status === "conflicted" && row.conflict_with.length === 0) fault("contradicts nobody")
    if (row.status === "active" && row.conflict_with.length > 0) fault("contradicts somebody")
    if (!isServed(row) && row.status !== "proposed" && row.conflict_with.length > 0) fault("keeps contradictions")
    if (new Set(row.conflict_with).size !== row.conflict_with.length) fault("names a contradiction twice")
    for (const id of row.conflict_with) {
      const other = byId.get(id)
      if (other === undefined) fault("contradicts a row that is not there")
      else if (other === row) fault("contradicts itself")
      else if (!isServed(other)) fault(`contradicts <${labelOf(other)}>, which is ${other.status}`)
      // A claim on trial touches no other row until it is accepted.
      else if (row.status !== "proposed" && !other.conflict_with.includes(row.memory_id)) {
        fault(`contradicts <${labelOf(other)}>, which does not name it`)
      }
    }
    if ((row.status === "duplicate") !== (row.duplicate_of !== "") && row.status !== "superseded") {
      fault("has no or a stray duplicate_of")
    }
    if (row.duplicate_of !== "" && row.status === "duplicate") {
      const other = byId.get(row.duplicate_of)
      if (other === undefined) fault("waits for a row that is not there")
      else if (other === row) fault("waits for itself")
      else if (other.status === "tombstoned" || other.status === "rejected") {
        fault(`waits for <${labelOf(other)}>, which is ${other.status}`)
      } else if (
        saidOf(claimIn(other.value), claimIn(row.value)) !== "same" && other.content_sha256 !== row.content_sha256
      ) {
        fault(`waits for <${labelOf(other)}>, which says something else`)
      }
    }
    if (row.status === "superseded" && row.superseded_by !== "" && !byId.has(row.superseded_by)) {
      fault("is superseded by a row that is not there")
    }
  }
  return faults
}

/** The history: versions grow, every one links to the one before, and its tops are the heads. */
export const historyFaults = (
  history: ReadonlyArray<MemoryRow>,
  heads: ReadonlyArray<MemoryRow>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const tops = new Map<string, MemoryRow>()
  const ids = new Map<string, string>()
  let before: MemoryRow | undefined
  for (const row of history) {
    const label = labelOf(row)
    if (before !== undefined && row.version <= before.version) faults.push(`version ${row.version} does not grow`)
    if (row.audit_prev !== (before?.audit_hash ?? "")) {
      faults.push(`the audit chain breaks at <${label}> ${row.version}`)
    }
    if (row.audit_hash !== linkHash(row.audit_prev, linkOf(row))) faults.push(`a false audit hash at ${row.version}`)
    if ((ids.get(label) ?? row.memory_id) !== row.memory_id) faults.push(`<${label}> changed its id`)
    ids.set(label, row.memory_id)
    tops.set(label, row)
    before = row
  }
  if (tops.size !== heads.length) faults.push(`${tops.size} identities in the history, ${heads.length} heads`)
  for (const head of heads) {
    const top = tops.get(labelOf(head))
    if (top === undefined || textOf(top) !== textOf(head)) {
      faults.push(`<${labelOf(head)}> is not what its history ends with`)
    }
  }
  return faults
}

const COLUMNS = Object.keys(MemoryRow.fields)

/** A row as text, its columns in one order and some of them replaced. */
export const textOf = (row: MemoryRow, replaced: Readonly<Record<string, unknown>> = {}): string => {
  const all: Record<string, unknown> = { ...row, ...replaced }
  return JSON.stringify(
    COLUMNS.map((column) => all[column]),
    (_, value) => typeof value === "bigint" ? value.toString() : value
  )
}

/** No pinned or locked row is retired on another's account. */
export const heldFaults = (
  before: ReadonlyMap<string, MemoryRow>,
  after: ReadonlyMap<string, MemoryRow>,
  now: number
): ReadonlyArray<string> =>
  [...before].flatMap(([label, row]) => {
    const isLocked = row.lock_mode !== "" && (row.lock_until === null || row.lock_until > now)
    const later = after.get(label)
    // A row that was gone may come back without its pin, and be retired, within one act.
    const isGone = row.status === "superseded" || row.status === "tombstoned" || row.status === "rejected"
    return (row.pinned || isLocked) && later !== undefined && !isGone &&
        later.status === "superseded" && later.superseded_by !== row.memory_id && later.change === "retire"
      ? [`<${label}> is ${row.pinned ? "pinned" : "locked"} and was retired`]
      : []
  })
