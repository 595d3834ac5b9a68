/**
 * The JSON Schema by which servers hold a model to a form. They ask for a strict one: an object at the root, no property that
 * may be left out, none beside those that are named, and none of the rules that they do not know; these are checked when the
 * reply is decoded. Made once for each schema.
 */
import * as JsonSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import type { ReplyForm } from "./LanguageModel.ts"

// What strict servers refuse, or what only costs tokens.
const unknownRules: ReadonlySet<string> = new Set(["minLength", "maxLength", "title", "default", "examples", "$schema"])

const made = new WeakMap<object, Map<string, ReplyForm>>()

/** A `RangeError` for a schema that no strict server takes; which schema a caller asks with does not depend on data. */
export const formOf = <A, I>(name: string, { ast }: Schema.Schema<A, I>): ReplyForm => {
  const known = made.get(ast) ?? new Map<string, ReplyForm>()
  made.set(ast, known)
  const found = known.get(name)
  if (found !== undefined) return found
  const definitions: Record<string, JsonSchema.JsonSchema7> = {}
  const root = strict(JsonSchema.fromAST(ast, { definitions, topLevelReferenceStrategy: "skip" }), "the root")
  if (!isObject(root) || root["type"] !== "object") throw new RangeError("The form of a reply is an object")
  const form: ReplyForm = {
    name,
    schema: Object.keys(definitions).length === 0 ? root : { ...root, $defs: strict(definitions, "$defs") }
  }
  known.set(name, form)
  return form
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same without unknown rules; `where` names the place of a fault. */
const strict = (schema: unknown, where: string): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => strict(one, where))
  if (!isObject(schema)) return schema
  const { properties, required } = schema
  if (schema["type"] === "object") {
    const names = isObject(properties) ? Object.keys(properties) : []
    const asked = Array.isArray(required) ? required : []
    const optional = names.find((name) => !asked.includes(name))
    if (optional !== undefined) {
      throw new RangeError(`In the form of a reply \`${optional}\` may be left out: use NullOr`)
    }
    if (schema["additionalProperties"] !== false) throw new RangeError(`In the form of a reply ${where} has free keys`)
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([rule, value]) =>
      // Under `properties` names stand, not rules.
      rule === "properties" && isObject(value)
        ? [[rule, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, strict(one, `\`${name}\``)]))]]
        : unknownRules.has(rule)
        ? []
        : [[rule, rule === "enum" || rule === "const" ? value : strict(value, where)]]
    )
  )
}
