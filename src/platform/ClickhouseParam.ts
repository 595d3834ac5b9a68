/**
 * A value bound to a typed placeholder `{p1: Type}`. A value never becomes SQL text: it travels beside the statement,
 * over HTTP as a query parameter and in process as a `SET param_…`, both in the escaped form of `encodeParam`. The
 * constructors are exact or refuse: an integer outside its type is a `RangeError`, which is a defect of the caller. The
 * engine takes values of many megabytes; a server refuses one above its `http_max_field_value_size`, 128 KiB by default,
 * so a long list is asked for in pieces.
 */
import { TupleParam } from "@clickhouse/client"
import * as DateTime from "effect/DateTime"

/** A JavaScript value a placeholder can take; tuples and maps are marked, since an array is `Array(…)`. */
export type ParamValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | ReadonlyArray<ParamValue>
  | { readonly tuple: ReadonlyArray<ParamValue> }
  | { readonly entries: ReadonlyArray<readonly [ParamValue, ParamValue]> }

export interface Param {
  readonly _tag: "Param"
  /** The ClickHouse type of the placeholder, such as `UInt64` or `Array(String)`. */
  readonly type: string
  readonly value: ParamValue
}

export type Params = Readonly<Record<string, Param>>

/** The scalar types a store may bind, with what TypeScript holds for them. `DateTime64` is epoch milliseconds (UTC). */
export interface Scalars {
  readonly String: string
  readonly UUID: string
  readonly Bool: boolean
  readonly UInt8: number
  readonly UInt16: number
  readonly UInt32: number
  readonly Int32: number
  readonly UInt64: bigint
  readonly Int64: bigint
  readonly Float32: number
  readonly Float64: number
  readonly DateTime64: number
}

export type ScalarType = keyof Scalars

type ScalarsOf<Types extends ReadonlyArray<ScalarType>> = { readonly [I in keyof Types]: Scalars[Types[I]] }

/** A value of a scalar type; epoch milliseconds become `DateTime64(3, 'UTC')`. */
export const scalar = <T extends ScalarType>(type: T, value: Scalars[T]): Param => ({
  _tag: "Param",
  type: columnType(type),
  value: scalarValue(type, value)
})

/** `Nullable(type)`; `null` stays null and is not the empty string. */
export const nullable = <T extends ScalarType>(type: T, value: Scalars[T] | null): Param => ({
  _tag: "Param",
  type: `Nullable(${columnType(type)})`,
  value: value === null ? null : scalarValue(type, value)
})

/** `Array(type)`, as in `id IN ${array("String", ids)}`; an empty array matches nothing. */
export const array = <T extends ScalarType>(type: T, values: ReadonlyArray<Scalars[T]>): Param => ({
  _tag: "Param",
  type: `Array(${columnType(type)})`,
  value: values.map((value) => scalarValue(type, value))
})

/** `Array(Tuple(types…))`, as in `(user_id, memory_key) IN ${tuples(["String", "String"], pairs)}`. */
export const tuples = <const Types extends ReadonlyArray<ScalarType>>(
  types: Types,
  rows: ReadonlyArray<ScalarsOf<Types>>
): Param => ({
  _tag: "Param",
  type: `Array(Tuple(${types.map(columnType).join(", ")}))`,
  value: rows.map((row) => ({ tuple: row.map((value, index) => scalarValue(types[index] ?? "String", value)) }))
})

/** `Map(String, String)`. */
export const map = (entries: Readonly<Record<string, string>>): Param => ({
  _tag: "Param",
  type: "Map(String, String)",
  value: { entries: Object.entries(entries) }
})

/**
 * The escaped text in which a placeholder's value is read by the engine and by a server: strings as in TabSeparated
 * (backslash escapes), and as quoted literals inside an array, a tuple or a map.
 */
export const encodeParam = (value: ParamValue): string => {
  if (value === null) return "\\N"
  if (typeof value === "string") return escapeText(value)
  if (typeof value === "boolean") return value ? "1" : "0"
  return typeof value === "object" ? nestedParam(value) : encodeNumber(value)
}

/** All of a statement's values in their escaped text. */
export const encodeParams = (params: Params): Record<string, string> => mapParams(params, encodeParam)

/** All of a statement's values as `@clickhouse/client` takes them, which escapes them in the same way. */
export const clientParams = (params: Params): Record<string, unknown> => mapParams(params, toClientValue)

/** The escaped text of a value meant for `@clickhouse/client`, which takes dates, maps and its own class of tuples. */
export const encodeClientParam = (value: unknown): string => encodeParam(fromClientValue(value))

/** `2026-11-29 18:05:09.123` in UTC, the text of a `DateTime64(3, 'UTC')`. ClickHouse keeps the years 1900 to 2299. */
export const dateTimeText = (epochMillis: number): string => {
  const date = DateTime.unsafeMake(epochMillis)
  const year = DateTime.getPartUtc(date, "year")
  if (year < 1900 || year > 2299) throw new RangeError("a DateTime64 lies between the years 1900 and 2299")
  return DateTime.formatIso(date).slice(0, 23).replace("T", " ")
}

const columnType = (type: ScalarType): string => type === "DateTime64" ? "DateTime64(3, 'UTC')" : type

const integerBounds: Partial<Record<ScalarType, readonly [bigint, bigint]>> = {
  UInt8: [0n, 2n ** 8n - 1n],
  UInt16: [0n, 2n ** 16n - 1n],
  UInt32: [0n, 2n ** 32n - 1n],
  Int32: [-(2n ** 31n), 2n ** 31n - 1n],
  UInt64: [0n, 2n ** 64n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n]
}

const scalarValue = (type: ScalarType, value: string | number | bigint | boolean): ParamValue => {
  if (type === "DateTime64") return dateTimeText(Number(value))
  const bounds = integerBounds[type]
  // A server wraps an integer that is too large instead of refusing it. `BigInt` throws the RangeError for a fraction.
  if (bounds !== undefined && (BigInt(value) < bounds[0] || BigInt(value) > bounds[1])) {
    throw new RangeError(`a value is outside the range of ${type}`)
  }
  return value
}

const encodeNumber = (value: number | bigint): string => {
  if (Number.isNaN(value)) return "nan"
  if (value === Infinity) return "+inf"
  return value === -Infinity ? "-inf" : String(value)
}

const escapes: Record<string, string> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0"
}

const escapeText = (text: string): string => text.replace(/[\\'\n\r\t\0]/g, (char) => escapes[char] ?? char)

const nestedParam = (value: ParamValue): string => {
  if (value === null) return "NULL"
  if (typeof value === "string") return `'${escapeText(value)}'`
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE"
  if (typeof value !== "object") return encodeNumber(value)
  if (isList(value)) return `[${value.map(nestedParam).join(",")}]`
  if ("tuple" in value) return `(${value.tuple.map(nestedParam).join(",")})`
  return `{${value.entries.map(([key, item]) => `${nestedParam(key)}:${nestedParam(item)}`).join(",")}}`
}

const mapParams = <A>(params: Params, convert: (value: ParamValue) => A): Record<string, A> => {
  const converted: Record<string, A> = {}
  for (const [name, { value }] of Object.entries(params)) converted[name] = convert(value)
  return converted
}

const isList = (value: ParamValue): value is ReadonlyArray<ParamValue> => Array.isArray(value)

const toClientValue = (value: ParamValue): unknown => {
  if (value === null || typeof value !== "object") return value
  if (isList(value)) return value.map(toClientValue)
  if ("tuple" in value) return new TupleParam(value.tuple.map(toClientValue))
  return new Map(value.entries.map(([key, item]) => [toClientValue(key), toClientValue(item)]))
}

const fromClientValue = (value: unknown): ParamValue => {
  if (value === undefined || value === null) return null
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return value
    case "object":
      break
    default:
      throw new TypeError("a function or a symbol is no value of a query parameter")
  }
  if (Array.isArray(value)) return value.map(fromClientValue)
  // A Unix time, which is read alike whatever the zone of the placeholder.
  if (value instanceof Date) return (value.getTime() / 1000).toFixed(value.getMilliseconds() === 0 ? 0 : 3)
  if (value instanceof TupleParam) return { tuple: value.values.map(fromClientValue) }
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value)
  return { entries: entries.map(([key, item]) => [fromClientValue(key), fromClientValue(item)]) }
}
