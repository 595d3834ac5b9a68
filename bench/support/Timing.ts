/**
 * Times and what is said about them. Milliseconds throughout; percentiles by nearest rank, so each is a time that was
 * measured.
 */
import * as Effect from "effect/Effect"

/** Runs an effect and tells how long it took. */
export const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<readonly [millis: number, value: A], E, R> =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(effect, (value) => [performance.now() - began, value] as const)
  })

/** The time below which a share of the measured ones lies; NaN when there are none. */
export const percentile = (times: ReadonlyArray<number>, share: number): number => {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** Three digits behind the point: microseconds of a millisecond. */
export const rounded = (number: number): number => Math.round(number * 1_000) / 1_000

/** The percentiles of a measured thing and of the raw engine on the same work, and how they relate. */
export const compared = (times: ReadonlyArray<number>, raw: ReadonlyArray<number>) => {
  const [p50, p95, raw50, raw95] = [
    percentile(times, 0.5),
    percentile(times, 0.95),
    percentile(raw, 0.5),
    percentile(raw, 0.95)
  ]
  return {
    p50_ms: rounded(p50),
    p95_ms: rounded(p95),
    raw_p50_ms: rounded(raw50),
    raw_p95_ms: rounded(raw95),
    ratio_p50: rounded(p50 / raw50),
    ratio_p95: rounded(p95 / raw95),
    count: times.length
  }
}

/** Whether the time since a start (`performance.now()`) is used up. */
export const isOver = (began: number, seconds: number): boolean => performance.now() - began > seconds * 1_000
