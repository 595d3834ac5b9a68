/** The texts of a request as they are looked at for credentials: each field with all that stands in it. */
import type { Json } from "../kernel/Json.ts"

/** Every name and text in a JSON value. */
const textsIn = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one: Json) => textsIn(one))
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}

/** Fields with their texts; what was left out holds none. */
export const textsOf = (
  fields: Readonly<Record<string, Json | undefined>>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === undefined ? [] : textsIn(value)]))
