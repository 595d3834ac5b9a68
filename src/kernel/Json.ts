/**
 * JSON without surprises. `parse` refuses what a JavaScript reader would swallow (duplicate keys, numbers a double
 * cannot hold, lone surrogates) and says where; `canonical` is RFC 8785, so equal values have equal text and hash.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { parse as parseLossless } from "lossless-json"
import { createHash } from "node:crypto"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Any JSON value whose strings are well-formed Unicode. */
export const Json: Schema.Schema<Json> = Schema.suspend(() =>
  Schema.Union(
    Schema.Null,
    Schema.Boolean,
    Schema.JsonNumber,
    Schema.String,
    Schema.Array(Json),
    Schema.Record({ key: Schema.String, value: Json })
  )
).annotations({ identifier: "Json", jsonSchema: {} })

/** Why a text is not acceptable JSON: `syntax` is a 400, `value` a 422. `position` counts UTF-16 units from 0. */
export interface JsonFault {
  readonly kind: "syntax" | "value"
  readonly message: string
  readonly position?: number
}

// Deeper nesting than any claim needs; keeps every later recursive walk off the stack's end.
const MAX_DEPTH = 128

const holdsExactly = (text: string): boolean => {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(text)) return BigInt(text) === BigInt(value)
  // A double keeps 17 significant decimal digits at most; beyond that the text says more than the value can.
  const digits = text.replace(/[eE].*$/, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
  return digits.length <= 17 && (value !== 0 || digits === "")
}

class ValueFault extends Error {}

const depthFault = (value: unknown): string | undefined => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`
    level = level.flatMap((item) =>
      Array.isArray(item) ? item : typeof item === "object" && item !== null ? Object.values(item) : []
    )
  }
  return undefined
}

const escaped = /\\/

/** The first key that stands twice in one object of a text that is JSON. Goes over the text once, without recursion. */
const duplicateFault = (text: string): string | undefined => {
  // One entry per open bracket: the keys seen in an object, null in an array.
  const open: Array<Set<string> | null> = []
  let keyNext = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === "\"") {
      const start = at
      for (at++; text[at] !== "\""; at++) if (text[at] === "\\") at++
      const keys = open[open.length - 1]
      if (keyNext && keys !== undefined && keys !== null) {
        const raw = text.slice(start, at + 1)
        const key = escaped.test(raw) ? String(JSON.parse(raw)) : raw.slice(1, -1)
        if (keys.has(key)) return `the key ${JSON.stringify(key.slice(0, 80))} stands twice in one object`
        keys.add(key)
        keyNext = false
      }
    } else if (sign === "{" || sign === "[") {
      open.push(sign === "{" ? new Set() : null)
      keyNext = sign === "{"
    } else if (sign === "}" || sign === "]") {
      open.pop()
      keyNext = false
    } else if (sign === ",") {
      keyNext = open[open.length - 1] instanceof Set
    }
  }
  return undefined
}

/** Parses one JSON text strictly. */
export const parse = (text: string): Either.Either<unknown, JsonFault> => {
  try {
    const value = parseLossless(text, undefined, {
      parseNumber: (digits) => {
        if (!holdsExactly(digits)) throw new ValueFault(`the number ${digits.slice(0, 40)} does not fit a double`)
        return Number(digits)
      },
      // Told below for equal values too, which the parser lets pass.
      onDuplicateKey: () => undefined
    })
    const fault = duplicateFault(text) ?? depthFault(value)
    return fault === undefined ? Either.right(value) : Either.left({ kind: "value", message: fault })
  } catch (fault) {
    if (fault instanceof ValueFault) return Either.left({ kind: "value", message: fault.message })
    const message = fault instanceof Error ? fault.message : "not JSON"
    const position = /position (\d+)/.exec(message)?.[1]
    return Either.left(
      position === undefined
        ? { kind: "syntax", message: message.slice(0, 120) }
        : { kind: "syntax", message: `not JSON at position ${position}`, position: Number(position) }
    )
  }
}

/** RFC 8785: keys by UTF-16 order, numbers as ECMAScript prints them, no white space. */
export const canonical = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonical).join(",")}]`
  const entries = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
  return `{${entries.join(",")}}`
}

const isArray = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Lower-case hex SHA-256 of a text's UTF-8 form. */
export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

/** Whether every string inside (keys included) is well-formed Unicode; a lone surrogate has no UTF-8 form. */
export const isWellFormed = (value: Json): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    : value === null || typeof value !== "object"
    ? true
    : isArray(value)
    ? value.every(isWellFormed)
    : Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
