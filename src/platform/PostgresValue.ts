/**
 * Values of Postgres on their way in and out. The driver gives 64-bit integers as text, times as `Date` and `jsonb` as the
 * parsed value; it would send a list as an array of the server and not as JSON, which is what `json` is for.
 */
import * as Schema from "effect/Schema"

/** A column `bigint`, exact. */
export const Int8 = Schema.BigInt

/** A column `timestamptz`. */
export const Timestamp = Schema.ValidDateFromSelf

/** The text for a parameter `${json(value)}::jsonb`; a `bigint` in it goes as its digits in a string. */
export const json = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? part.toString() : part)
