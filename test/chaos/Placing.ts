/**
 * Which operation made which version of a key. An acknowledged one is known by the version it was told, any other by the
 * value that it alone states, a delete by its reason; a restore leaves no mark of its own and is given the first of those
 * that nobody can account for otherwise. What fits nothing, or fits twice, is a finding.
 */
import { isLive } from "./Facts.ts"
import type { KeyFacts, Version } from "./Facts.ts"
import type { Finding, FindingKind } from "./Finding.ts"
import type { Operation } from "./Operations.ts"

/** A version of the key and the operation behind it, where it is known. */
export interface Placed {
  readonly index: number
  readonly version: Version
  readonly number: bigint
  readonly live: boolean
  operation: Operation | undefined
}

export interface Placing {
  readonly states: ReadonlyArray<Placed>
  readonly findings: ReadonlyArray<Finding>
}

/** Changes that state a value. */
const STATING = ["create", "revise", "correct", "restate", "merge"]

export const place = (facts: KeyFacts, operations: ReadonlyArray<Operation>): Placing => {
  const findings: Array<Finding> = []
  const find = (kind: FindingKind, text: string, ...involved: ReadonlyArray<Operation | undefined>) =>
    void findings.push({
      kind,
      namespace: facts.namespace,
      key: facts.key,
      text,
      calls: involved.flatMap((one) => one?.calls ?? [])
    })
  const states = facts.versions.map((version, index): Placed => ({
    index,
    version,
    number: BigInt(version.version),
    live: isLive(version.status),
    operation: undefined
  }))
  placeAcknowledged(states, operations, find)
  const used = new Set(states.flatMap(({ operation }) => operation === undefined ? [] : [operation]))
  placeByMark(states, operations, used, find)
  placeRestores(states, operations, used, find)
  checkCounts(states, find)
  return { states, findings }
}

type Find = (kind: FindingKind, text: string, ...involved: ReadonlyArray<Operation | undefined>) => void

const named = ({ version: { change, version } }: Placed): string => `version ${version} (${change})`

const isDoing = (action: Operation["action"], { version: { change } }: Placed): boolean =>
  action === "delete" ? change === "delete" : action === "restore" ? change === "restore" : STATING.includes(change)

const placeAcknowledged = (states: ReadonlyArray<Placed>, operations: ReadonlyArray<Operation>, find: Find): void => {
  const byVersion = new Map(states.map((state) => [state.version.version, state]))
  for (const operation of operations) {
    const { action, effect, outcome, value } = operation
    if (outcome !== "done" || effect === null) continue
    if (effect.reinforcement_count > 1) {
      find("applied_twice", `${action} was told reinforcement_count ${effect.reinforcement_count}`, operation)
    }
    const state = byVersion.get(effect.version)
    if (state === undefined) {
      find("lost", `${action} was acknowledged as version ${effect.version}, which is not in the history`, operation)
    } else if (state.operation !== undefined) {
      find("lost", `two operations were acknowledged as version ${effect.version}`, state.operation, operation)
    } else {
      state.operation = operation
      const isOther = !isDoing(action, state) || (value !== null && state.version.value !== value) ||
        (effect.sha256 !== "" && effect.sha256 !== state.version.sha256)
      if (isOther) find("lost", `${action} was acknowledged as ${named(state)}, which holds something else`, operation)
    }
  }
}

/** Versions that no answer named, by the value or the reason that one operation alone has. */
const placeByMark = (
  states: ReadonlyArray<Placed>,
  operations: ReadonlyArray<Operation>,
  used: Set<Operation>,
  find: Find
): void => {
  const byValue = new Map(operations.flatMap((one) => one.value === null ? [] : [[one.value, one]]))
  const byReason = new Map(operations.flatMap((one) => one.action === "delete" ? [[one.op, one]] : []))
  for (const state of states) {
    if (state.operation !== undefined || state.version.change === "restore") continue
    const { change, reason, value } = state.version
    const operation = change === "delete" ? byReason.get(reason) : byValue.get(value)
    if (operation === undefined || !isDoing(operation.action, state)) {
      find("unexplained", `nobody asked for ${named(state)}`, operation)
    } else if (used.has(operation)) {
      find("applied_twice", `${operation.action} made ${named(state)} too`, operation)
    } else if (operation.outcome === "dry") {
      find("dry_run", `a dry ${operation.action} made ${named(state)}`, operation)
    } else if (operation.outcome === "denied") {
      const said = operation.denials.map(({ code }) => code).join(", ")
      find("refused_applied", `${operation.action} was told ${said} and made ${named(state)}`, operation)
      state.operation = operation
    } else {
      state.operation = operation
    }
    if (operation !== undefined) used.add(operation)
  }
}

/** The earliest open restore explains the earliest restored version that it may: if any choice fits, this one does. */
const placeRestores = (
  states: ReadonlyArray<Placed>,
  operations: ReadonlyArray<Operation>,
  used: Set<Operation>,
  find: Find
): void => {
  const open = operations
    .filter((one) => one.action === "restore" && one.outcome === "unknown")
    .sort((left, right) => left.start - right.start)
  for (const state of states) {
    if (state.operation !== undefined || state.version.change !== "restore") continue
    // It cannot have begun after something that stands behind the version was acknowledged.
    const until = Math.min(...states.slice(state.index).map(({ operation }) => operation?.end ?? Infinity))
    const operation = open.find((one) => !used.has(one) && one.start <= until)
    if (operation === undefined) find("unexplained", `nobody asked for ${named(state)}`)
    else {
      state.operation = operation
      used.add(operation)
    }
  }
}

/** What shows without any call: a write id that stands twice, a count above the one statement of each value. */
const checkCounts = (states: ReadonlyArray<Placed>, find: Find): void => {
  const byWrite = new Map<string, Placed>()
  for (const state of states) {
    const { reinforcement_count, write_id } = state.version
    const other = byWrite.get(write_id)
    if (other !== undefined) {
      find("applied_twice", `${named(other)} and ${named(state)} are of one write`, other.operation, state.operation)
    }
    byWrite.set(write_id, state)
    // Later versions carry the count on.
    if (reinforcement_count > Math.max(1, states[state.index - 1]?.version.reinforcement_count ?? 1)) {
      find("applied_twice", `${named(state)} has reinforcement_count ${reinforcement_count}`, state.operation)
    }
  }
}
