/** What a soak measured, and what it comes to; pure. */
import { percentile, rounded } from "./Timing.ts"

/** What was seen at one moment, and of the calls since the moment before. */
export interface Sample {
  readonly seconds: number
  readonly resident_mb: number
  readonly parts: number
  /** The table that has most of them. */
  readonly parts_most: string
  readonly lag: number
  readonly reads: ReadonlyArray<number>
  readonly writes: ReadonlyArray<number>
  readonly errors: number
  readonly restarts: number
}

const shown = (times: ReadonlyArray<number>): string =>
  times.length === 0 ? "none" : `${percentile(times, 0.5).toFixed(1)}/${percentile(times, 0.95).toFixed(1)} ms`

/** One line of the log. */
export const lineOf = (sample: Sample): string =>
  [
    `${String(Math.round(sample.seconds)).padStart(5)} s`,
    `${sample.resident_mb} MB resident`,
    `${sample.parts} parts (most ${sample.parts_most})`,
    `lag ${sample.lag}`,
    `reads ${shown(sample.reads)}`,
    `writes ${shown(sample.writes)}`,
    `errors ${sample.errors}`,
    `restarts ${sample.restarts}`
  ].join(", ")

const median = (numbers: ReadonlyArray<number>): number => percentile(numbers, 0.5)

/** By how much the last third lies above the second; the first is the warm-up. NaN when a third has nothing to tell. */
export const growth = (numbers: ReadonlyArray<number>): number => {
  const third = Math.floor(numbers.length / 3)
  if (third === 0) return Number.NaN
  return median(numbers.slice(-third)) / median(numbers.slice(-2 * third, -third)) - 1
}

const p95Of = ({ reads, writes }: Sample): number => percentile([...reads, ...writes], 0.95)

export interface Totals {
  readonly calls: number
  readonly errors: number
  readonly restarts: number
  readonly lag_end: number
}

/** What is held against bounds: growth as a share (0.1 is ten hundredths), -1 where the run was too short to tell. */
export const summary = (samples: ReadonlyArray<Sample>, { calls, errors, lag_end, restarts }: Totals) => {
  const told = (number: number): number => Number.isNaN(number) ? -1 : rounded(number)
  // A process that has just started is small: the moments before the next restart are like each other.
  const late = samples.filter((sample, at) => (samples[at + 1]?.restarts ?? sample.restarts + 1) > sample.restarts)
  const resident = late.length >= 3 ? late : samples
  return {
    rss_growth: told(growth(resident.map(({ resident_mb }) => resident_mb))),
    p95_growth: told(growth(samples.map(p95Of).filter((time) => !Number.isNaN(time)))),
    parts_max: Math.max(0, ...samples.map(({ parts }) => parts)),
    lag_end,
    errors,
    calls,
    restarts,
    resident_mb: samples.map(({ resident_mb }) => resident_mb),
    read_p95_ms: told(percentile(samples.flatMap(({ reads }) => reads), 0.95)),
    write_p95_ms: told(percentile(samples.flatMap(({ writes }) => writes), 0.95))
  }
}
