/**
 * The JSON Schema of a verb's request as MCP clients take it: without `$ref` (hosts hand it to model APIs that know
 * little of the standard) and without what the token decides.
 */
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { requestSchema } from "./VerbRegistry.ts"
import type { SchemaObject } from "./VerbRegistry.ts"

// The org is the token's; a caller that sends another is refused all the same.
const decidedByToken: ReadonlySet<string> = new Set(["org"])

const isObject = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectOf = (value: unknown): SchemaObject => isObject(value) ? value : {}

const referred = (schema: SchemaObject): string | undefined => {
  const ref = schema["$ref"]
  return typeof ref === "string" ? /^#\/\$defs\/(.+)$/.exec(ref)?.[1] : undefined
}

/** Puts definitions in the place of references; one that holds itself (any JSON) becomes the schema of everything. */
const inline = (value: unknown, definitions: SchemaObject): unknown => {
  if (Array.isArray(value)) return value.map((item) => inline(item, definitions))
  if (!isObject(value)) return value
  const name = referred(value)
  if (name === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inline(inner, definitions)]))
  }
  const { $ref: _, ...beside } = value
  const definition = objectOf(definitions[name])
  return holdsItself(name, definition) ? beside : inline({ ...definition, ...beside }, definitions)
}

const holdsItself = (name: string, definition: SchemaObject): boolean =>
  JSON.stringify(definition).includes(JSON.stringify(`#/$defs/${name}`))

/** The input schema of a verb's tool. */
export const inputSchema = (verb: VerbFacts): SchemaObject => {
  const { $defs, properties, required, ...rest } = requestSchema(verb)
  const fields = Object.entries(objectOf(properties)).filter(([name]) => !decidedByToken.has(name))
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, inline(schema, objectOf($defs))])),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {})
  }
}
