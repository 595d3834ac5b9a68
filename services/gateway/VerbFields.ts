/**
 * The fields of a request in words, for pages that people read: name, kind and whether it is needed. Read off the same
 * JSON Schema that the registry serves.
 */
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { wireSchema } from "./VerbRegistry.ts"
import type { SchemaObject } from "./VerbRegistry.ts"

export interface FieldWords {
  readonly name: string
  readonly kind: string
  readonly required: boolean
}

type Defs = ReadonlyMap<string, SchemaObject>

const isSchema = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemas = (value: unknown): ReadonlyArray<SchemaObject> => Array.isArray(value) ? value.filter(isSchema) : []

const range = (schema: SchemaObject, least: string, most: string): string => {
  const [low, high] = [schema[least], schema[most]]
  return high === undefined
    ? ""
    : low === undefined || low === 0 && least !== "minimum"
    ? ` up to ${high}`
    : ` ${low}–${high}`
}

// A longer list is for a program to read, in the schema.
const MOST_NAMES = 12

const kindOf = (schema: SchemaObject, defs: Defs): string => {
  const { $ref, anyOf, enum: values, format, items, pattern, prefixItems, type } = schema
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    // Any JSON is defined by itself.
    return name === "Json" ? "any JSON" : kindOf({ ...defs.get(name), ...schema, $ref: undefined }, defs)
  }
  if (Array.isArray(anyOf)) return schemas(anyOf).map((one) => kindOf(one, defs)).join(" or ")
  if (Array.isArray(values)) {
    const names = values.map((value) => JSON.stringify(value))
    return names.length <= MOST_NAMES
      ? names.join(" or ")
      : `${names.slice(0, 3).join(" or ")} or one of ${names.length - 3} more names`
  }
  switch (type) {
    case "array":
      return Array.isArray(prefixItems)
        ? `[${schemas(prefixItems).map((one) => kindOf(one, defs)).join(", ")}]`
        : `list of ${isSchema(items) ? kindOf(items, defs) : "any JSON"}${range(schema, "minItems", "maxItems")}`
    case "string":
      return format === "date-time"
        ? "ISO 8601 time"
        : typeof pattern === "string"
        ? `text like ${pattern}`
        : `text${range(schema, "minLength", "maxLength")}`
    case "integer":
    case "number":
      return `${type}${range(schema, "minimum", "maximum")}`
    case "boolean":
    case "null":
    case "object":
      return type
    default:
      return "any JSON"
  }
}

/** The fields of a verb's request, needed ones first. */
export const requestFields = (verb: VerbFacts): ReadonlyArray<FieldWords> => {
  const defs = new Map<string, SchemaObject>()
  const { properties, required } = wireSchema(verb, "payload", defs, "#/$defs/")
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    kind: isSchema(schema) ? kindOf(schema, defs) : "any JSON",
    required: needed.has(name)
  }))
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)]
}
