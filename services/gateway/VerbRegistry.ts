/**
 * What a server can do, as data: every verb with its role, its teaching and the JSON Schema of its request, and every
 * error code. `GET /v1/verbs` answers it, so a client can ask what this server takes; OpenAPI and `docs/verbs.md` are read
 * off the same facts.
 */
import * as JSONSchema from "effect/JSONSchema"
import { allCodes } from "../../src/kernel/LoomError.ts"
import type { CodeFacts } from "../../src/kernel/LoomError.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { payloadFields, takesNothing } from "../../src/kernel/Verb.ts"
import { edgeCodes } from "./HttpError.ts"

/** The tool under which MCP lists a verb: `memory.set` is `loom_memory_set`. */
export const mcpTool = (tag: string): string => `loom_${tag.replaceAll(".", "_")}`

/** A JSON Schema (2020-12, as OpenAPI 3.1 takes it). */
export interface SchemaObject {
  readonly [keyword: string]: unknown
}

const isRecord = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// Titles such as `maxLength(256)` and the sentence that repeats a keyword beside it say nothing to a reader.
const says = (schema: SchemaObject): SchemaObject => {
  const { title, ...rest } = schema
  if (typeof title !== "string" || !/^[a-z]\w*(\(.*\))?$/.test(title)) return schema
  const { description: _, ...bare } = rest
  return bare
}

const tidy = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(tidy)
    : !isRecord(value)
    ? value
    : Object.fromEntries(Object.entries(says(value)).map(([key, inner]) => [key, tidy(inner)]))

const tidySchema = (schema: unknown): SchemaObject => {
  const tidied = tidy(schema)
  return isRecord(tidied) ? tidied : {}
}

/** The wire schema of a request (which takes no other field) or an answer (which may grow); shared parts go to `defs`. */
export const wireSchema = (
  verb: VerbFacts,
  side: "payload" | "answer",
  defs: Map<string, SchemaObject>,
  defsPath: string
): SchemaObject => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const schema = JSONSchema.fromAST(verb[side].ast, {
    definitions,
    definitionPath: defsPath,
    target: "openApi3.1",
    topLevelReferenceStrategy: "skip",
    additionalPropertiesStrategy: side === "payload" ? "strict" : "allow"
  })
  for (const [name, definition] of Object.entries(definitions)) defs.set(name, tidySchema(definition))
  return side === "payload" && takesNothing(verb) ? nothing : tidySchema(schema)
}

/** The library takes a struct without fields for any object or list. */
const nothing: SchemaObject = { type: "object", properties: {}, required: [], additionalProperties: false }

/** The request of a verb as one self-contained JSON Schema. */
export const requestSchema = (verb: VerbFacts): SchemaObject => {
  const defs = new Map<string, SchemaObject>()
  const schema = wireSchema(verb, "payload", defs, "#/$defs/")
  return defs.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(defs) }
}

export interface NamedCode extends CodeFacts {
  readonly name: string
}

/** Every code that can leave over HTTP. */
export const everyCode: ReadonlyArray<NamedCode> = [
  ...allCodes,
  ...Object.entries(edgeCodes).map(([name, facts]) => ({ name, ...facts }))
]

const verbView = (verb: VerbFacts) => ({
  verb: verb.tag,
  path: `/v1/${verb.tag}`,
  mcp_tool: mcpTool(verb.tag),
  listed: verb.listed,
  role: verb.access,
  writes: verb.writes,
  idempotent: verb.idempotent,
  destructive: verb.destructive ?? false,
  teaching: {
    what: verb.teaching.what,
    when: verb.teaching.when,
    when_not: verb.teaching.whenNot,
    args: verb.teaching.args ?? null
  },
  fields: payloadFields(verb),
  request: requestSchema(verb)
})

/** The body of `GET /v1/verbs`. */
export const registry = (verbs: ReadonlyArray<VerbFacts>, version: string) => ({
  build_version: version,
  verbs: verbs.map(verbView),
  errors: everyCode.map(({ category, name, next, retryable, status }) => ({
    code: name,
    status,
    category,
    retryable,
    next
  }))
})
