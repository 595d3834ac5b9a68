/**
 * Sides measured in turns on the same work, so that all of them meet the same noise of the machine: in each round each side
 * once, in an order that turns about. A side's rate is the median of its rounds; two are compared round by round.
 */
import * as Effect from "effect/Effect"
import type { CallersGone } from "./Callers.ts"
import type { Job } from "./CallersProcess.ts"
import type { Side } from "./ClusterHouse.ts"
import { withCpu } from "./ClusterHouse.ts"
import { acknowledged, isAcknowledged } from "./ClusterWork.ts"
import * as Say from "./Say.ts"
import { percentile, rounded } from "./Timing.ts"

interface Measured {
  readonly rates: Array<number>
  readonly times: Array<number>
  readonly outcomes: Record<string, number>
  readonly cpu: Record<string, number>
  writes: number
}

/** What came of the rounds of one side. */
export interface Found {
  /** Acknowledged writes a second, of each round. */
  readonly rates: ReadonlyArray<number>
  readonly rate: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Milliseconds of processor for each write, by the role of the process. */
  readonly cpu_ms_per_write: Readonly<Record<string, number>>
}

export const median = (numbers: ReadonlyArray<number>): number => percentile(numbers, 0.5)

const foundOf = ({ cpu, outcomes, rates, times, writes }: Measured): Found => ({
  rates: rates.map(Math.round),
  rate: rounded(median(rates)),
  p50_ms: rounded(percentile(times, 0.5)),
  p95_ms: rounded(percentile(times, 0.95)),
  outcomes,
  cpu_ms_per_write: Object.fromEntries(Object.entries(cpu).map(([role, millis]) => [role, rounded(millis / writes)]))
})

/** So many rounds of every side, by the jobs of the round; they come back in the order of the sides. */
export const play = (
  what: string,
  sides: ReadonlyArray<Side>,
  rounds: number,
  jobOf: (side: Side, round: number) => Job
): Effect.Effect<ReadonlyArray<Found>, CallersGone> =>
  Effect.gen(function*() {
    const all = sides.map((): Measured => ({ rates: [], times: [], outcomes: {}, cpu: {}, writes: 0 }))
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < sides.length; turn++) {
        const at = (turn + round) % sides.length
        const [side, into] = [sides[at], all[at]]
        if (side === undefined || into === undefined) continue
        const [report, cpu] = yield* withCpu(side, side.callers.run(jobOf(side, round)))
        const writes = acknowledged(report.outcomes)
        into.rates.push((1_000 * writes) / report.millis)
        into.times.push(...report.times)
        into.writes += writes
        for (const [outcome, count] of Object.entries(report.outcomes)) {
          into.outcomes[outcome] = (into.outcomes[outcome] ?? 0) + count
        }
        for (const [role, millis] of Object.entries(cpu)) into.cpu[role] = (into.cpu[role] ?? 0) + millis
      }
      yield* Say.note(
        `${what}: round ${round + 1} of ${rounds}: ` +
          sides.map(({ name }, at) => `${name} ${Math.round(all[at]?.rates.at(-1) ?? 0)}/s`).join(", ")
      )
    }
    return all.map(foundOf)
  })

/** How the rates of one relate to those of another, round by round: the median. */
export const ratio = (one: Found | undefined, other: Found | undefined): number =>
  rounded(median((one?.rates ?? []).map((rate, round) => rate / (other?.rates[round] ?? Number.NaN))))

export const rateOf = (found: Found | undefined): number => found?.rate ?? Number.NaN

/** How many calls were answered by an error. */
export const errorsOf = (all: ReadonlyArray<Found>): number =>
  all.flatMap(({ outcomes }) => Object.entries(outcomes))
    .reduce((sum, [outcome, count]) => isAcknowledged(outcome) ? sum : sum + count, 0)

export const byName = (names: ReadonlyArray<string>, all: ReadonlyArray<Found>): Say.Result =>
  Object.fromEntries(all.map((found, at) => [names[at] ?? "", { ...found }]))
