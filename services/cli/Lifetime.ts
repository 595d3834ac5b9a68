/**
 * How long a token lives, as people write it: `90d`, `12h`, or the time when it ends.
 */
import { parseTime } from "../../src/kernel/Time.ts"

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_557_600 }

/** Seconds from `now` (epoch milliseconds), or the fault in words. */
export const seconds = (text: string, now: number): number | string => {
  const [, amount, unit] = /^(\d{1,9})\s*([smhdwy])$/.exec(text.trim()) ?? []
  if (amount !== undefined && unit !== undefined) return Number(amount) * (units[unit] ?? 0)
  const time = parseTime(text)
  if (typeof time === "string") return "takes a lifetime (90d, 12h, 1y) or a time (2027-01-31T12:00:00Z)"
  return time.millis > now ? Math.ceil((time.millis - now) / 1000) : "lies in the past"
}
