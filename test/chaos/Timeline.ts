/**
 * When each state of a key can have been the current one. An operation takes place within its interval and versions follow
 * each other, so the state that version `k` made cannot begin before every operation up to it has begun, and is over at the
 * latest when any operation behind it has been acknowledged. State -1 is that of a key never written.
 */
import type { Finding } from "./Finding.ts"
import type { Placed } from "./Placing.ts"

export interface Timeline {
  readonly states: ReadonlyArray<Placed>
  /** Whether a state can have been current at some moment of a span of time. */
  readonly possible: (index: number, start: number, end: number) => boolean
  /** Whether some state that can have been current within a span is as asked; none is given for state -1. */
  readonly some: (start: number, end: number, is: (state: Placed | undefined) => boolean) => boolean
  /** An operation acknowledged by then that made the state, or one behind it, over. */
  readonly overBy: (index: number, moment: number) => Placed | undefined
}

export const make = (states: ReadonlyArray<Placed>): Timeline => {
  let begun = Number.NEGATIVE_INFINITY
  const from = states.map(({ operation }) => begun = Math.max(begun, operation?.start ?? begun))
  let over = Number.POSITIVE_INFINITY
  const by = states.toReversed().map(({ operation }) => over = Math.min(over, operation?.end ?? over)).reverse()
  const possible = (index: number, start: number, end: number) =>
    (from[index] ?? Number.NEGATIVE_INFINITY) <= end && (by[index + 1] ?? Number.POSITIVE_INFINITY) >= start
  return {
    states,
    possible,
    some: (start, end, is) => {
      for (let index = -1; index < states.length; index++) {
        if (possible(index, start, end) && is(states[index])) return true
      }
      return false
    },
    overBy: (index, moment) =>
      states.find((state) => state.index > index && state.operation !== undefined && state.operation.end < moment)
  }
}

/**
 * Versions against time: one that stands behind another although its operation had ended before the other's began, or the
 * other way round said, a pair that no order in time explains. Also what each version says of its number.
 */
export const orderFindings = (
  namespace: string,
  key: string,
  states: ReadonlyArray<Placed>,
  what = ""
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const find = (text: string, ...involved: ReadonlyArray<Placed>) =>
    void findings.push({
      kind: "order",
      namespace,
      key,
      text,
      calls: involved.flatMap(({ operation }) => operation?.calls ?? [])
    })
  let latest: Placed | undefined
  let before: Placed | undefined
  for (const state of states) {
    if (before !== undefined && state.number <= before.number) {
      find(`version ${state.number} stands behind ${before.number}${what}`, before, state)
    }
    before = state
    const { operation } = state
    if (operation === undefined) continue
    // Across keys, only what no key shows by itself.
    const isNews = what === "" || latest?.operation?.key !== operation.key
    if (latest?.operation !== undefined && operation.end < latest.operation.start && isNews) {
      find(
        `version ${state.number} stands behind ${latest.number}${what}, but was acknowledged before that one was asked for`,
        state,
        latest
      )
    }
    if (latest?.operation === undefined || operation.start > latest.operation.start) latest = state
  }
  return findings
}
