/**
 * Times on the wire: ISO 8601 text, read as UTC when it names no offset (and the answer says so), refused when the date
 * does not exist. Inside, milliseconds since 1970. The store keeps 1900 to 2299, so a time outside is refused too.
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/
// DateTime64's own range.
const MIN = Date.UTC(1900, 0, 1)
const MAX = Date.UTC(2299, 11, 31, 23, 59, 59, 999)

/** A time as given, with whether it named an offset. */
export interface ParsedTime {
  readonly millis: number
  readonly naive: boolean
}

/** Milliseconds since 1970 of an ISO 8601 date or date-time, or the fault in words. */
export const parseTime = (text: string): ParsedTime | string => {
  const match = ISO.exec(text.trim())
  if (match === null) return "is not an ISO 8601 date or date-time (for example 2026-03-01T09:00:00Z)"
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", offset] = match
  const [y, mo, d, h, mi, s] = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)]
  const millis = Math.trunc(Number(`0.${fraction}`) * 1000)
  const utc = Date.UTC(y, mo - 1, d, h, mi, s, millis)
  const back = new Date(utc)
  if (y < 1900 || back.getUTCMonth() !== mo - 1 || back.getUTCDate() !== d || h > 23 || mi > 59 || s > 59) {
    return "is a date or time that does not exist, or lies before 1900"
  }
  let shift = 0
  if (offset !== undefined && offset.toUpperCase() !== "Z") {
    const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
    if (hours > 14 || minutes > 59) return "names an offset that does not exist"
    shift = (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000
  }
  const result = utc - shift
  if (result < MIN || result > MAX) return "lies outside 1900 to 2299"
  return { millis: result, naive: offset === undefined }
}

/** ISO text <-> milliseconds. */
export const Timestamp = Schema.transformOrFail(Schema.String, Schema.Number, {
  strict: true,
  decode: (text, _, ast) => {
    const parsed = parseTime(text)
    return typeof parsed === "string"
      ? ParseResult.fail(new ParseResult.Type(ast, text, parsed))
      : ParseResult.succeed(parsed.millis)
  },
  encode: (millis) => ParseResult.succeed(new Date(millis).toISOString())
}).annotations({ identifier: "Timestamp", jsonSchema: { type: "string", format: "date-time" } })

/** ISO text of a time with an offset or not, kept apart so that an answer can say "read as UTC". */
export const isNaive = (text: string): boolean => {
  const parsed = parseTime(text)
  return typeof parsed !== "string" && parsed.naive
}
