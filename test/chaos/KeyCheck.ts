/**
 * One key: its versions against the operations on it. Each version must stand on a state that its operation allows, each
 * denial needs a moment of its call at which it was right, and the head must be what the history ends with.
 */
import { isLive } from "./Facts.ts"
import type { KeyFacts } from "./Facts.ts"
import type { Finding, FindingKind } from "./Finding.ts"
import type { Denial, Operation } from "./Operations.ts"
import type { Placed } from "./Placing.ts"
import { orderFindings } from "./Timeline.ts"
import type { Timeline } from "./Timeline.ts"

export const checkKey = (
  facts: KeyFacts,
  operations: ReadonlyArray<Operation>,
  timeline: Timeline
): ReadonlyArray<Finding> => {
  const { key, namespace } = facts
  const findings: Array<Finding> = [...orderFindings(namespace, key, timeline.states)]
  const find = (kind: FindingKind, text: string, calls: ReadonlyArray<number>) =>
    void findings.push({ kind, namespace, key, text, calls })
  for (const state of timeline.states) {
    const fault = standingFault(timeline.states[state.index - 1], state)
    if (fault !== undefined) {
      const before = timeline.states[state.index - 1]?.operation
      find("cas", fault, [...before?.calls ?? [], ...state.operation?.calls ?? []])
    }
  }
  for (const operation of operations) {
    for (const denial of operation.denials) {
      const fault = denialFault(timeline, operation, denial)
      if (fault !== undefined) find(fault.kind, fault.text, [denial.call])
    }
    const fault = refusedThoughApplied(timeline, operation)
    if (fault !== undefined) find("idempotency", fault, operation.calls)
  }
  const last = timeline.states[timeline.states.length - 1]
  const headText = headFault(facts, last)
  if (headText !== undefined) find("stale_head", headText, last?.operation?.calls ?? [])
  for (const { at, found, sha256 } of facts.past) {
    const then = stateAt(facts, at)
    const expected = then !== undefined && isLive(then.status) ? then.sha256 : ""
    if (found !== (expected !== "") || (found && sha256 !== expected)) {
      const said = then === undefined ? "no version" : `version ${then.version} (${then.status})`
      const shown = found ? sha256.slice(0, 12) : "nothing"
      find("past", `a read of ${at} ms shows ${shown}, the history had ${said} then`, [])
    }
  }
  return findings
}

/** What the history holds of a moment in milliseconds since 1970. */
export const stateAt = ({ versions }: Pick<KeyFacts, "versions">, at: number) =>
  versions.findLast(({ version }) => BigInt(version) <= BigInt(at) * NANOS_PER_MILLI)

const NANOS_PER_MILLI = 1_000_000n

const of = (state: Placed | undefined): string =>
  state === undefined ? "no row" : `version ${state.version.version} (${state.version.status})`

/** What a version says against the one it stands on. */
const standingFault = (before: Placed | undefined, state: Placed): string | undefined => {
  const { operation, version } = state
  const isCarried = version.change === "delete" || version.change === "restore"
  const needsLive = version.change === "delete" || version.change === "correct"
  if (needsLive && before?.live !== true) return `a ${version.change} stands on ${of(before)}`
  if (version.change === "restore" && before?.version.status !== "tombstoned") {
    return `a restore stands on ${of(before)}`
  }
  if (isCarried && before !== undefined && before.version.sha256 !== version.sha256) {
    return `${version.change} ${version.version} has another value than ${of(before)}, on which it stands`
  }
  if (before !== undefined && before.version.memory_id !== version.memory_id) {
    return `${version.version} has another memory_id than ${of(before)}`
  }
  if (operation === undefined || operation.if_match === null) return undefined
  return before?.live === true && before.version.sha256 === operation.if_match
    ? undefined
    : `${operation.action} if ${operation.if_match.slice(0, 12)} stands on ${of(before)} ${
      before?.version.sha256.slice(0, 12) ?? ""
    }`
}

// The state moved on while the write was prepared, or too many were waiting: no state is a reason.
const NEEDS_NO_REASON = ["STALE_VERSION", "OVERLOADED", "item"]

const denialFault = (
  timeline: Timeline,
  { action, if_match }: Operation,
  { as, code, end, start }: Denial
): { readonly kind: FindingKind; readonly text: string } | undefined => {
  const never = (text: string) => ({ kind: "no_reason" as const, text: `${action} was told ${code}, but ${text}` })
  if (as === "none") {
    const isThere = action === "restore"
      ? timeline.some(start, end, (state) => state?.version.status !== "tombstoned")
      : timeline.some(start, end, (state) => state?.live !== true)
    return isThere
      ? undefined
      : never(action === "restore" ? "the row was deleted all the while" : "there was a live row")
  }
  if (code === "PRECONDITION_FAILED") {
    if (if_match === null) return { kind: "odd", text: `${action} without a condition was told ${code}` }
    return timeline.some(start, end, (state) => state?.live !== true || state.version.sha256 !== if_match)
      ? undefined
      : never("the row held what it named all the while")
  }
  return NEEDS_NO_REASON.includes(code) ? undefined : { kind: "odd", text: `${action} was refused with ${code}` }
}

/**
 * A retry that was refused although the first attempt was in by then: the same idempotency key must give its answer. One
 * that took place later than the refusal is none of that.
 */
const refusedThoughApplied = (timeline: Timeline, operation: Operation): string | undefined => {
  if (operation.outcome !== "unknown") return undefined
  const state = timeline.states.find((one) => one.operation === operation)
  if (state === undefined) return undefined
  const denial = operation.denials.find(({ start }) => timeline.overBy(state.index, start) !== undefined)
  return denial === undefined
    ? undefined
    : `${operation.action} made version ${state.version.version}, and a later retry was told ${denial.code}`
}

const headFault = ({ head, versions }: KeyFacts, last: Placed | undefined): string | undefined => {
  const end = versions[versions.length - 1]
  const shown = head.found ? `the head is version ${head.version} with ${head.sha256.slice(0, 12)}` : "there is no head"
  if (last === undefined || end === undefined) return head.found ? `${shown}, the history is empty` : undefined
  const said = `the history ends with version ${end.version} (${end.status}) with ${end.sha256.slice(0, 12)}`
  if (head.found !== isLive(end.status)) return `${shown}, ${said}`
  if (!head.found) return undefined
  // A head that was laid down again after a voided commit has a higher version and the same content.
  return head.sha256 !== end.sha256 || head.value !== end.value || BigInt(head.version) < last.number
    ? `${shown}, ${said}`
    : undefined
}
