/**
 * The request of `loom call` from its arguments: one JSON object, and fields as `name=text` or `name:=json`. A plain
 * `name=text` takes the type that the verb declares for the field: a number, a boolean, or one more item of a list.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { parse } from "../../src/kernel/Json.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { requestSchema } from "../gateway/VerbRegistry.ts"

export type Request = { readonly [field: string]: unknown }

const isObject = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const faultOf = (name: string, text: string): Either.Either<unknown, string> =>
  Either.mapLeft(parse(text), ({ message }) => `${name} is no JSON: ${message}`)

/** The object that a JSON text is; `name` says where it came from. */
export const parseBody = (name: string, text: string): Either.Either<Request, string> =>
  Either.flatMap(
    faultOf(name, text),
    (value) => isObject(value) ? Either.right(value) : Either.left(`${name} is no JSON object`)
  )

const typeOf = (verb: VerbFacts | undefined, field: string): string => {
  const schema = verb === undefined ? {} : requestSchema(verb)
  const properties = schema["properties"]
  const own = isObject(properties) ? properties[field] : undefined
  const type = isObject(own) ? own["type"] : undefined
  return typeof type === "string" ? type : "string"
}

const convert = (type: string, field: string, text: string): Either.Either<unknown, string> => {
  switch (type) {
    case "integer":
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text))
        ? Either.left(`${field} is a number, not ${JSON.stringify(text)}`)
        : Either.right(Number(text))
    case "boolean":
      return text === "true" || text === "false"
        ? Either.right(text === "true")
        : Either.left(`${field} is true or false, not ${JSON.stringify(text)}`)
    case "object":
      return faultOf(field, text)
    default:
      return Either.right(text)
  }
}

const field = /^([a-z_][a-z0-9_]*)(:?=)([^]*)$/

/** The request that these arguments make, in order; a later field wins, and items of a list add up. */
export const make = (verb: VerbFacts | undefined, args: ReadonlyArray<string>): Either.Either<Request, string> => {
  let request: Request = {}
  const listed = new Set<string>()
  for (const arg of args) {
    const [, name, operator, text] = field.exec(arg) ?? []
    if (name === undefined || text === undefined) {
      if (arg.startsWith("-")) return Either.left(`There is no option ${arg}`)
      const body = parseBody("The request", arg)
      if (Either.isLeft(body)) return Either.left(`${body.left}. Give a JSON object, name=text or name:=json.`)
      request = { ...request, ...body.right }
      continue
    }
    const type = operator === ":=" ? "json" : typeOf(verb, name)
    const value = type === "json" ? faultOf(name, text) : convert(type, name, text)
    if (Either.isLeft(value)) return Either.left(value.left)
    const earlier = request[name]
    const items: ReadonlyArray<unknown> = listed.has(name) && Array.isArray(earlier) ? earlier : []
    if (type === "array") listed.add(name)
    request = { ...request, [name]: type === "array" ? [...items, value.right] : value.right }
  }
  return Either.right(request)
}
