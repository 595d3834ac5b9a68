/**
 * Schemas for the column types whose JSON is not what TypeScript wants: 64-bit integers come as strings and stay exact,
 * times come as UTC text. Every one encodes to what an insert of JSONEachRow reads, so one row schema serves both ways.
 */
import * as DateTime from "effect/DateTime"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { dateTimeText } from "./ClickhouseParam.ts"

/** `UInt64`: a string of digits, a `bigint` of 0 to 2^64-1 here. */
export const UInt64 = Schema.BigInt.pipe(Schema.betweenBigInt(0n, 2n ** 64n - 1n))

/** `Int64`: a string of digits, a `bigint` here. */
export const Int64 = Schema.BigInt.pipe(Schema.betweenBigInt(-(2n ** 63n), 2n ** 63n - 1n))

/** `Bool`: `true`/`false`; a `UInt8` flag (0 or 1) is read too. */
export const Flag = Schema.transform(Schema.Union(Schema.Boolean, Schema.Literal(0, 1)), Schema.Boolean, {
  strict: true,
  decode: (value) => value === true || value === 1,
  encode: (value) => value
})

/** `DateTime64(3, 'UTC')`: `2026-11-29 18:05:09.123`, epoch milliseconds here. */
export const EpochMillis = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) => {
    const millis = Date.parse(`${text.replace(" ", "T")}Z`)
    return Number.isNaN(millis)
      ? ParseResult.fail(new ParseResult.Type(ast, text, "not a DateTime64 in UTC"))
      : ParseResult.succeed(millis)
  },
  encode: (millis, _, ast) =>
    ParseResult.try({
      try: () => dateTimeText(millis),
      catch: () => new ParseResult.Type(ast, millis, "outside the years 1900 to 2299")
    })
})

/** `DateTime64(3, 'UTC')` as a `Date`. */
export const DateTime64 = Schema.transform(EpochMillis, Schema.ValidDateFromSelf, {
  strict: true,
  decode: (millis) => DateTime.toDateUtc(DateTime.unsafeMake(millis)),
  encode: (date) => date.getTime()
})

/** A vector as a column takes it that is decoded from base64 on insert: its bytes, little-endian as they lie in memory. */
export const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")

/** A time of the world as the nanoseconds of a version or a position. */
export const nanosOf = (millis: number): bigint => BigInt(Math.floor(millis)) * 1_000_000n
