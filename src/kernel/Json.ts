/**
 * JSON without surprises. `parse` refuses what a JavaScript reader would swallow (duplicate keys, numbers a double
 * cannot hold, lone surrogates) and says where; `canonical` is RFC 8785, so equal values have equal text and hash.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { scan } from "./JsonScan.ts"
import type { JsonFault } from "./JsonScan.ts"

export type { JsonFault } from "./JsonScan.ts"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

const isJson = (input: unknown): input is Json =>
  input === null || typeof input === "string" || typeof input === "boolean" ||
  (typeof input === "number" ? Number.isFinite(input) : isMember(input))

const isMember = (input: unknown): boolean =>
  Array.isArray(input)
    ? input.every(isJson)
    : typeof input === "object" && input !== null && Object.values(input).every(isJson)

/** Any JSON value, kept as it is: copying it member by member would lose one that is called `__proto__`. */
export const Json: Schema.Schema<Json> = Schema.declare(isJson, {
  identifier: "Json",
  jsonSchema: {
    anyOf: [
      { type: "string" },
      { type: "number" },
      { type: "boolean" },
      { type: "object" },
      { type: "array", items: {} },
      { type: "null" }
    ]
  }
})

/** Parses one JSON text strictly: what `JsonScan` lets pass is what `JSON.parse` reads. */
export const parse = (text: string): Either.Either<unknown, JsonFault> => {
  const fault = scan(text)
  if (fault !== undefined) return Either.left(fault)
  const value: unknown = JSON.parse(text)
  return Either.right(value)
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
export const isWellFormed = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    : value === null || typeof value !== "object"
    ? true
    : Array.isArray(value)
    ? value.every(isWellFormed)
    : Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
