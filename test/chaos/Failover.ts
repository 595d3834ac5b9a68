/**
 * How long callers waited for a fault, from the history: from the fault to the first acknowledged write to a namespace that
 * the faulty runner owned, and the longest stretch without one. Pure.
 */
import type { DoneFault } from "./Faults.ts"
import type { Call } from "./History.ts"
import { groupBy } from "./Operations.ts"
import type { Stall } from "./Stalls.ts"

export interface Failover {
  readonly fault: DoneFault
  readonly namespace: string
  /** Milliseconds to the first acknowledged write that began after the fault. */
  readonly first: number
  /** Milliseconds of the longest stretch without an acknowledged write that the fault began or that began soon after it. */
  readonly gap: number
  /** Whether neither another fault nor a stall of the harness fell into it. */
  readonly alone: boolean
}

// Whatever follows from a fault has begun by then: a pause of 20 s and a retry.
const AFTERMATH_MILLIS = 25_000

const isWrite = ({ action, dry_run, ending }: Call): boolean => action !== "get" && !dry_run && ending._tag === "done"

export const failovers = (
  calls: ReadonlyArray<Call>,
  faults: ReadonlyArray<DoneFault>,
  stalls: ReadonlyArray<Stall>,
  until: number
): ReadonlyArray<Failover> => {
  const byNamespace = groupBy(calls.filter(isWrite), ({ namespace }) => namespace)
  return faults.flatMap((fault) =>
    fault.namespaces.flatMap((namespace): ReadonlyArray<Failover> => {
      const { start } = fault
      const acknowledged = [...byNamespace.get(namespace) ?? []].sort((one, other) => one.end - other.end)
      // What was on its way already shows nothing; what began before and was answered much later does.
      const first = acknowledged.find((call) => call.start >= start || call.end >= start + 1_000)
      if (first === undefined) {
        return until - start < 1_000
          ? []
          : [{ fault, namespace, first: until - start, gap: until - start, alone: false }]
      }
      let [gap, end, last] = [0, first.end, start]
      for (const call of acknowledged) {
        if (call.end <= start) continue
        if (last > start + AFTERMATH_MILLIS) break
        if (call.end - last > gap) [gap, end] = [call.end - last, call.end]
        last = call.end
      }
      const alone = !faults.some((other) =>
        other !== fault && other.start < Math.max(end, first.end) && other.end + 10_000 > start
      ) && !stalls.some((stall) =>
        stall.start < Math.max(end, first.end) && stall.end > start
      )
      return [{ fault, namespace, first: first.end - start, gap, alone }]
    })
  )
}

export const median = (numbers: ReadonlyArray<number>): number | null => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

export const most = (numbers: ReadonlyArray<number>): number | null =>
  numbers.length === 0 ? null : Math.max(...numbers)

/** Calls that told their caller of a fault (unknown or overloaded), whose namespace was a runner's at its fault. */
export const errorsDuring = (calls: ReadonlyArray<Call>, fault: DoneFault, until: number): number =>
  calls.filter(({ attempt, end, ending, namespace, start }) =>
    fault.namespaces.includes(namespace) && end >= fault.start && start <= until && attempt !== "replay" &&
    (ending._tag === "unknown" || (ending._tag === "refused" && ending.code === "OVERLOADED"))
  ).length
