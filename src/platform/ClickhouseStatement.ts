/**
 * ClickHouse statements as pure values. `ch.sql` turns a template into text with typed placeholders and the values beside
 * it, so a query can be tested without a server and a value can never become SQL. Only the static text of a template,
 * fragments made of such templates, and quoted identifiers reach the text.
 */
import type { Param, Params } from "./ClickhouseParam.ts"
import * as ClickhouseParam from "./ClickhouseParam.ts"

/** Engine settings of one statement; they never outlive it. */
export type Settings = Readonly<Record<string, string | number | boolean>>

export interface Statement {
  /** What is asked, such as `MemoryStore.heads`: names the span, the log line and the error. */
  readonly operation: string
  /** SQL with placeholders `{p1: Type}`, without a `FORMAT` clause. */
  readonly text: string
  readonly params: Params
  readonly settings?: Settings
}

/** A piece of SQL with its values, composed into a statement or another fragment. */
export interface Fragment {
  readonly _tag: "Fragment"
  readonly parts: ReadonlyArray<string | Param>
}

export type Interpolation = Param | Fragment

const fragment = (strings: TemplateStringsArray, ...values: ReadonlyArray<Interpolation>): Fragment => ({
  _tag: "Fragment",
  parts: strings.flatMap((text, index) => {
    const value = values[index]
    return value === undefined ? [text] : value._tag === "Param" ? [text, value] : [text, ...value.parts]
  })
})

const sql = (operation: string, settings?: Settings) =>
(
  strings: TemplateStringsArray,
  ...values: ReadonlyArray<Interpolation>
): Statement => {
  const params: Record<string, Param> = {}
  let count = 0
  const text = fragment(strings, ...values).parts.map((part) => {
    if (typeof part === "string") return part
    const name = `p${++count}`
    params[name] = part
    return `{${name}: ${part.type}}`
  }).join("")
  return settings === undefined ? { operation, text, params } : { operation, text, params, settings }
}

/** Quoted names, joined by a dot: `identifier("loom", "memory")`. */
const identifier = (...names: ReadonlyArray<string>): Fragment => ({
  _tag: "Fragment",
  parts: [names.map((name) => `\`${name.replace(/[\\`]/g, "\\$&").replace(/\0/g, "\\0")}\``).join(".")]
})

/** Quoted text for the few places of DDL that take no placeholder, such as a comment. */
const literal = (text: string): Fragment => ({
  _tag: "Fragment",
  parts: [`'${text.replace(/[\\']/g, "\\$&").replace(/\0/g, "\\0")}'`]
})

const join = (
  fragments: ReadonlyArray<Interpolation>,
  separator: ", " | " AND " | " OR " | " UNION ALL " | "\n" = ", "
) =>
  ({
    _tag: "Fragment",
    parts: fragments.flatMap((item, index) => [
      ...(index === 0 ? [] : [separator]),
      ...(item._tag === "Param" ? [item] : item.parts)
    ])
  }) satisfies Fragment

/** The same statement with more settings; the later ones win. */
const withSettings = (statement: Statement, settings: Settings): Statement => ({
  ...statement,
  settings: { ...statement.settings, ...settings }
})

/** The whole vocabulary for building a statement. */
export const ch = {
  sql,
  fragment,
  join,
  identifier,
  literal,
  withSettings,
  /** Nothing: the other branch of an optional piece. */
  empty: fragment``,
  string: (value: string) => ClickhouseParam.scalar("String", value),
  uuid: (value: string) => ClickhouseParam.scalar("UUID", value),
  boolean: (value: boolean) => ClickhouseParam.scalar("Bool", value),
  uint8: (value: number) => ClickhouseParam.scalar("UInt8", value),
  uint16: (value: number) => ClickhouseParam.scalar("UInt16", value),
  uint32: (value: number) => ClickhouseParam.scalar("UInt32", value),
  int32: (value: number) => ClickhouseParam.scalar("Int32", value),
  uint64: (value: bigint) => ClickhouseParam.scalar("UInt64", value),
  int64: (value: bigint) => ClickhouseParam.scalar("Int64", value),
  float32: (value: number) => ClickhouseParam.scalar("Float32", value),
  float64: (value: number) => ClickhouseParam.scalar("Float64", value),
  /** Epoch milliseconds, UTC. */
  dateTime64: (epochMillis: number) => ClickhouseParam.scalar("DateTime64", epochMillis),
  nullable: ClickhouseParam.nullable,
  array: ClickhouseParam.array,
  tuples: ClickhouseParam.tuples,
  map: ClickhouseParam.map
} as const
