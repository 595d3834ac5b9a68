/**
 * Which values hold nothing to find again. A number or a flag always says something under its key, punctuation is a value
 * ("the separator is ;"), and a record with a named member says at least which one; what is left when none of them is there
 * (null, an empty list, a list of blanks, marks without the letter that they belong to) is no memory.
 */
import type { Json } from "../kernel/Json.ts"
import { isBlank } from "../platform/Analyzer.ts"

/** Whether a text shows nothing by itself: white space, invisible characters, combining marks alone. */
const isVoid = (text: string): boolean => isBlank(text.replace(/\p{M}+/gu, ""))

const saysNothing = (value: Json): boolean => {
  if (typeof value === "string") return isVoid(value)
  if (value === null) return true
  if (typeof value !== "object") return false
  return isList(value)
    ? value.every(saysNothing)
    : Object.entries(value).every(([name, member]) => isVoid(name) && saysNothing(member))
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Why the value cannot be a memory, in words; undefined when it can. */
export const valueFault = (value: Json): string | undefined => {
  if (!saysNothing(value)) return undefined
  if (typeof value === "string") {
    return isBlank(value)
      ? "is blank: it holds nothing to find again"
      : "has no letter, digit, symbol or punctuation: it holds nothing to find again"
  }
  return value === null
    ? "is null: it holds nothing to find again (`memory.delete` takes a memory out of service)"
    : `is an empty ${isList(value) ? "list" : "object"}: it holds nothing to find again`
}
