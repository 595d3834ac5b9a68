/** The question of a read about another time (ADR 0010); what answers it is in `AsOf`. */

export interface Instant {
  /** `knowledge` replays what was served, `valid` asks what was true. */
  readonly axis: "knowledge" | "valid"
  /** Milliseconds since 1970: the world's time, or the clock by which ends are judged. */
  readonly at: number
  /** Only versions up to this one are known; null knows all. */
  readonly known: bigint | null
}

/** The last version of a millisecond: what was written within it was known at it. */
export const lastVersionAt = (millis: number): bigint => millis < 0 ? 0n : BigInt(millis + 1) * 1_000_000n - 1n
