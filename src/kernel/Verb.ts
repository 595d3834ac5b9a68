/**
 * A verb is declared once: its name, payload, answer, role and teaching text. The actor's RPC, the public RPC,
 * `POST /v1/<verb>`, OpenAPI, the MCP tool, the CLI call, the typed client and `docs/verbs.md` are all read off this one
 * value. Payloads refuse unknown fields; answers are plain JSON.
 */
import * as Rpc from "@effect/rpc/Rpc"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { requireRole } from "./Caller.ts"
import type { Caller, Role } from "./Caller.ts"
import { telling } from "./IndexLag.ts"
import { isWellFormed } from "./Json.ts"
import { Corrupt, LoomError, refuse } from "./LoomError.ts"
import type { Refusal } from "./LoomError.ts"

/** What an agent must know to choose the verb and fill it in. */
export interface Teaching {
  readonly what: string
  readonly when: string
  readonly whenNot: string
  readonly args?: string
}

interface Declaration {
  readonly access: Role
  /** Whether the same request may be sent twice without a second effect even without an idempotency key. */
  readonly idempotent: boolean
  /** Whether the verb changes stored state (it then takes an `idempotency_key` and passes the actor). */
  readonly writes: boolean
  /** Whether MCP lists the verb as a tool of its own; every verb can be reached through `loom_op`. */
  readonly listed: boolean
  /** Whether the verb takes something out of service (a delete); a hint for hosts that ask before such calls. */
  readonly destructive?: boolean
  readonly teaching: Teaching
  /** The field of a bulk verb whose items are each checked and answered on their own. */
  readonly itemsField?: string
}

export interface Verb<Tag extends string, P, PI, A, AI> extends Declaration {
  readonly tag: Tag
  readonly payload: Schema.Schema<P, PI>
  readonly answer: Schema.Schema<A, AI>
  readonly rpc: Rpc.Rpc<Tag, Schema.Schema<P, PI>, Schema.Schema<A, AI>, typeof LoomError>
}

/**
 * The schema without its constructor. An RPC client builds its payload with the constructor where there is one, which
 * compiles a parser for every call (measured: 155 of 170 microseconds); a payload is a value already.
 */
export const bare = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> => Schema.make<A, I>(schema.ast)

export const make = <const Tag extends string, P, PI, A, AI>(
  tag: Tag,
  options: Declaration & { readonly payload: Schema.Schema<P, PI>; readonly answer: Schema.Schema<A, AI> }
): Verb<Tag, P, PI, A, AI> => ({
  ...options,
  tag,
  rpc: Rpc.make(tag, { payload: bare(options.payload), success: options.answer, error: LoomError })
})

const unknownField = (field: string): Refusal =>
  refuse("UNKNOWN_FIELD", `Unknown field \`${field.slice(0, 120)}\``, { field: field.slice(0, 120) })

/** A struct without fields decodes from anything, so what a verb that takes none is given is looked at here. */
const isNothing = (raw: unknown): Effect.Effect<void, Refusal> => {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    return Effect.fail(refuse("INVALID_ARGUMENT", "`(body)` is not an object", { field: "(body)" }))
  }
  const [field] = Object.keys(raw)
  return field === undefined ? Effect.void : Effect.fail(unknownField(field))
}

/** The first fault of a payload in words: which field, what is wrong. Values are never repeated. */
export const payloadFault = (fault: ParseResult.ParseError): Refusal => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(fault)
  const unexpected = issues.find((issue) => issue._tag === "Unexpected")
  const first = unexpected ?? issues[0]
  const field = first === undefined || first.path.length === 0 ? "(body)" : first.path.map(String).join(".")
  if (unexpected !== undefined) {
    return unknownField(field)
  }
  const facts = { field: field.slice(0, 120) }
  const reason = first?._tag === "Missing" ? "is missing" : faultWords(first?.message ?? "is not valid")
  // Of a choice, every member says that it was not met.
  const path = first?.path.join("\u0000")
  const said = first?._tag === "Missing"
    ? []
    : issues.filter((issue) => issue.path.join("\u0000") === path).flatMap(({ message }) => expectedIn(message) ?? [])
  // JSON has no undefined to offer.
  const choices = [...new Set(said)].filter((one) => one !== "undefined")
  if (choices.length < 2) return refuse("INVALID_ARGUMENT", `\`${facts.field}\` ${reason}`, facts)
  const allowed = choices.flatMap((choice) => /^"(.*)"$/s.exec(choice)?.[1] ?? [])
  return refuse("INVALID_ARGUMENT", `\`${facts.field}\` is not one of ${choices.join(", ").slice(0, MOST_CHOICES)}`, {
    ...facts,
    ...(allowed.length === choices.length ? { allowed } : {})
  })
}

// Room for the names of all fields of a memory.
const MOST_CHOICES = 1_000

// Schema's messages may repeat the value ("Expected string, actual 5"): keep what was expected, drop the actual.
const expectedIn = (message: string): string | undefined => /^Expected (.+?), actual /s.exec(message)?.[1]

const faultWords = (message: string): string => {
  const expected = expectedIn(message)
  return expected === undefined ? message.slice(0, 200) : `is not ${expected.slice(0, 160)}`
}

/** The names of a payload's fields as they stand on the wire. */
export const payloadFields = (verb: { readonly payload: Schema.Schema.All }): ReadonlyArray<string> =>
  AST.getPropertySignatures(AST.encodedAST(verb.payload.ast)).map((field) => String(field.name))

/** Whether a request of the verb holds no field. */
export const takesNothing = (verb: { readonly payload: Schema.Schema.All }): boolean => payloadFields(verb).length === 0

/** What an edge needs to know of a verb without its types. */
export interface VerbFacts extends Declaration {
  readonly tag: string
  readonly payload: Schema.Schema.All
  readonly answer: Schema.Schema.All
}

/** A handler bound to its verb: decodes strictly, checks the role, answers in wire form. */
export interface BoundVerb {
  readonly verb: VerbFacts
  /** Runs on parsed JSON and answers encoded JSON. */
  readonly call: (raw: unknown, caller: Caller) => Effect.Effect<unknown, LoomError>
}

/** Joins a verb and its handler; the closure keeps the types, so edges need none. */
export const bind = <Tag extends string, P, PI, A, AI>(
  verb: Verb<Tag, P, PI, A, AI>,
  handler: (payload: P, caller: Caller) => Effect.Effect<A, LoomError>
): BoundVerb => {
  const decode = Schema.decodeUnknown(verb.payload, { onExcessProperty: "error", errors: "all" })
  const encode = Schema.encode(verb.answer)
  return {
    verb,
    call: (raw, caller) =>
      requireRole(caller, verb.access).pipe(
        Effect.zipRight(soundText(raw, verb.itemsField)),
        Effect.zipRight(takesNothing(verb) ? isNothing(raw) : Effect.void),
        Effect.zipRight(Effect.mapError(decode(raw), payloadFault)),
        Effect.flatMap((payload) => telling(handler(payload, caller))),
        Effect.flatMap((answer) =>
          Effect.mapError(encode(answer), () => new Corrupt({ operation: `${verb.tag} answer` }))
        ),
        Effect.withSpan(`verb.${verb.tag}`)
      )
  }
}

/** What `INVALID_ARGUMENT` says of text without a UTF-8 form. */
export const UNSOUND_TEXT = "holds a lone surrogate, which has no UTF-8 form"

/** Refuses text that could not be stored; the items of a bulk verb are left to the verb, which answers each. */
const soundText = (raw: unknown, itemsField: string | undefined): Effect.Effect<void, Refusal> => {
  if (typeof raw !== "object" || raw === null) return Effect.void
  for (const [field, value] of Object.entries(raw)) {
    if (field !== itemsField && !isWellFormed([field, value])) {
      const name = field.slice(0, 120).toWellFormed()
      return Effect.fail(refuse("INVALID_ARGUMENT", `\`${name}\` ${UNSOUND_TEXT}`, { field: name }))
    }
  }
  return Effect.void
}

/** A verb's decoded payload. */
export type Payload<V extends { readonly payload: Schema.Schema.Any }> = Schema.Schema.Type<V["payload"]>
/** A verb's payload as it stands on the wire. */
export type PayloadEncoded<V extends { readonly payload: Schema.Schema.Any }> = Schema.Schema.Encoded<V["payload"]>
/** A verb's answer. */
export type Answer<V extends { readonly answer: Schema.Schema.Any }> = Schema.Schema.Type<V["answer"]>
