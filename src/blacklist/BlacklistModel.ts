/**
 * A pattern that no stored value may match, and where it holds: in one namespace, in every namespace of an org, or
 * everywhere. A pattern is never removed from the store, it ends: the row says when and by whom. One that ended when it began
 * only keeps the answer of a request that found its pattern in force.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"

/**
 * `substring` is found in the folded text (case, width, accents and what is invisible do not count); `regex` is RE2, on the text as it is
 * and without what is invisible.
 */
export const PatternType = Schema.Literal("substring", "regex")
export type PatternType = typeof PatternType.Type

export const PatternScope = Schema.Literal("namespace", "org", "global")
export type PatternScope = typeof PatternScope.Type

/** Where a pattern holds: empty texts mean every namespace, and every org. */
export interface Place {
  readonly org: string
  readonly namespace: string
}

export const BlacklistPattern = Schema.Struct({
  pattern_id: Schema.String,
  scope: PatternScope,
  /** Empty for a global pattern. */
  org: Schema.String,
  /** Empty for a pattern of an org or a global one. */
  namespace: Schema.String,
  pattern: Schema.String,
  pattern_type: PatternType,
  reason: Schema.String,
  /** Epoch milliseconds, as the other times here. */
  created_at: Schema.Int,
  created_by: Schema.String,
  removed_at: Schema.NullOr(Schema.Int),
  removed_by: Schema.String,
  /** Hex SHA-256 of the caller and the idempotency key it was added with; empty without one. */
  idem_hash: Schema.String,
  /** Hex SHA-256 of the request it was added with. */
  request_hash: Schema.String,
  /** What the request was answered, as JSON; empty until it was. */
  answer: Schema.String,
  /** Grows with every change of the row. */
  version: Schema.BigIntFromSelf
})
export type BlacklistPattern = typeof BlacklistPattern.Type

/** What a refused value met; never the pattern itself, which its author may want to keep to himself. */
export interface BlacklistHit {
  readonly pattern_id: string
  readonly scope: PatternScope
  readonly reason: string
}

export const GLOBAL: Place = { org: "", namespace: "" }

/** Where patterns are looked for that hold in a namespace, in the order in which a hit is told. */
export const placesOf = ({ namespace, org }: Scope): ReadonlyArray<Place> => [
  { org, namespace },
  { org, namespace: "" },
  GLOBAL
]

export const placeOf = (scope: PatternScope, { namespace, org }: Place): Place =>
  scope === "global" ? GLOBAL : { org, namespace: scope === "org" ? "" : namespace }

/** One string for a place; the separator stands in no name. */
export const placeKey = ({ namespace, org }: Place): string => `${org}\u0000${namespace}`

/** `BLACKLISTED`, for the write that met the pattern. */
export const blacklisted = ({ pattern_id, reason, scope }: BlacklistHit): Refusal =>
  refuse(
    "BLACKLISTED",
    `The value matches a refused pattern${reason === "" ? "" : `: ${reason}`}`,
    { pattern_id, scope, reason }
  )

/**
 * The text of a stored value that patterns are held against. JSON hides what its strings say behind escapes, so where it
 * has any, the strings follow it in plain.
 */
export const judgedText = (value: string, valueKind: "string" | "json"): string => {
  if (valueKind === "string" || !value.includes("\\")) return value
  const strings: Array<string> = []
  const collect = (part: unknown): void => {
    if (typeof part === "string") strings.push(part)
    else if (typeof part === "object" && part !== null) {
      for (const [name, inner] of Object.entries(part)) {
        if (!Array.isArray(part)) strings.push(name)
        collect(inner)
      }
    }
  }
  collect(JSON.parse(value))
  return `${value}\n${strings.join("\n")}`
}
