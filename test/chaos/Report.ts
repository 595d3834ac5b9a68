/**
 * What a chaos run found, as one flat object of figures and as lines for people.
 */
import type { Verdict } from "./Checker.ts"
import { explain } from "./Checker.ts"
import { errorsDuring, failovers, median, most } from "./Failover.ts"
import { FAULT_KINDS, PARTITION } from "./FaultPlan.ts"
import type { FaultKind } from "./FaultPlan.ts"
import type { DoneFault } from "./Faults.ts"
import type { Call } from "./History.ts"
import type { Stall } from "./Stalls.ts"

export interface RunFacts {
  readonly seconds: number
  readonly seed: number
  readonly authority: string
  readonly calls: ReadonlyArray<Call>
  readonly faults: ReadonlyArray<DoneFault>
  readonly until: number
  /** Of the harness itself. */
  readonly stalls: ReadonlyArray<Stall>
  readonly verdict: Verdict
  /** Processes that ended without being asked. */
  readonly deaths: ReadonlyArray<string>
  readonly historyFile: string
}

// In which a caller may still hear of a runner that was told to stop.
const TERM_MILLIS = 15_000
const SHOWN = 40
const KINDS = [...FAULT_KINDS, PARTITION] as const

const rounded = (millis: number | null): number | null => millis === null ? null : Math.round(millis)

/** Whether a call was answered, and how. */
const countOf = (calls: ReadonlyArray<Call>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { ending } of calls) {
    const name = ending._tag === "refused" ? `refused ${ending.code}` : ending._tag
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export const report = (facts: RunFacts) => {
  const { authority, calls, deaths, faults, historyFile, seconds, seed, stalls, until, verdict } = facts
  const found = failovers(calls, faults, stalls, until)
  const of = (kind: FaultKind) => found.filter(({ fault }) => fault.kind === kind)
  const alone = (kind: FaultKind) => of(kind).filter((one) => one.alone).map(({ first }) => first)
  const any = (kind: FaultKind) => of(kind).map(({ first }) => first)
  const gaps = (kind: FaultKind) => of(kind).filter((one) => one.alone).map(({ gap }) => gap)
  // Of a run so short that every fault met another there is nothing better.
  const best = (kind: FaultKind) => alone(kind).length > 0 ? alone(kind) : any(kind)
  const count = Object.fromEntries(KINDS.map((kind) => [kind, faults.filter((one) => one.kind === kind).length]))
  const quietTerms = faults.filter((fault) =>
    fault.kind === "term" &&
    !faults.some((other) =>
      other !== fault && other.start < fault.start + TERM_MILLIS && other.end + 10_000 > fault.start
    )
  )
  const { applied_twice, lost, stale_heads, violations } = verdict
  return {
    authority,
    seconds,
    seed,
    calls: calls.length,
    endings: countOf(calls),
    lost,
    applied_twice,
    stale_heads,
    violations,
    failover_kill_ms_median: rounded(median(best("kill"))),
    failover_kill_ms_max: rounded(most(best("kill"))),
    failover_term_ms_max: rounded(most(best("term"))),
    failover_stop_ms_max: rounded(most(best("stop"))),
    failover_cut_postgres_ms_max: rounded(most(best("cut_postgres"))),
    failover_cut_clickhouse_ms_max: rounded(most(best("cut_clickhouse"))),
    failover_isolate_ms_max: rounded(most(best("isolate"))),
    failover_partition_ms_max: rounded(most(best("partition"))),
    gap_kill_ms_max: rounded(most(gaps("kill"))),
    gap_term_ms_max: rounded(most(gaps("term"))),
    gap_stop_ms_max: rounded(most(gaps("stop"))),
    overlapping_failover_ms_max: rounded(most(found.filter((one) => !one.alone).map(({ first }) => first))),
    failovers_alone: Object.fromEntries(KINDS.map((kind) => [kind, alone(kind).length])),
    term_alone: quietTerms.length,
    term_errors: quietTerms.reduce((sum, fault) => sum + errorsDuring(calls, fault, fault.start + TERM_MILLIS), 0),
    faults: count,
    deaths: deaths.length,
    stalls: stalls.length,
    stall_ms_max: rounded(most(stalls.map(({ end, start }) => end - start))),
    history: historyFile
  }
}

/** Findings and deaths, a line each, the rest as a number. */
export const troubles = ({ deaths, verdict: { findings } }: RunFacts): ReadonlyArray<string> => [
  ...findings.slice(0, SHOWN).map(explain),
  ...(findings.length > SHOWN ? [`and ${findings.length - SHOWN} more`] : []),
  ...deaths
]
