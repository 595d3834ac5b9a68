/**
 * The Model Context Protocol as Loom speaks it: JSON-RPC 2.0 messages in, answers out, the same for every transport.
 * Only tools are served, and every message stands alone, so nothing is kept between them. Written on the schemas of
 * `@effect/ai` and not on its `McpServer`, which sends no instructions, takes numbers alone for ids, requires `arguments`,
 * and answers what it cannot decode with a defect.
 */
import * as McpSchema from "@effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { instructions } from "./McpHelp.ts"
import type { McpTools, RunVerb } from "./McpTools.ts"

type Id = string | number | null

export interface Answer {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Newest first; a client that asks for another is offered the first. */
export const protocolVersions: ReadonlyArray<string> = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07"
]

const Envelope = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optional(Schema.Union(Schema.String, Schema.Number)),
  method: Schema.optional(Schema.String),
  params: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

const decodeEnvelope = Schema.decodeUnknownEither(Envelope)

const decodeCall = Schema.decodeUnknownEither(Schema.Struct({
  name: Schema.String,
  arguments: Schema.optionalWith(Schema.Unknown, { default: () => ({}) })
}))

/** The id of the request that a `notifications/cancelled` gives up. */
export const cancelledId = (message: unknown): string | number | undefined =>
  Either.match(decodeCancelled(message), { onLeft: () => undefined, onRight: ({ params }) => params.requestId })

const decodeCancelled = Schema.decodeUnknownEither(Schema.Struct({
  method: Schema.Literal("notifications/cancelled"),
  params: Schema.Struct({ requestId: Schema.Union(Schema.String, Schema.Number) })
}))

/** The id of a request; undefined for what awaits no answer. */
export const requestId = (message: unknown): string | number | undefined =>
  Either.match(decodeEnvelope(message), {
    onLeft: () => undefined,
    onRight: ({ id, method }) => method === undefined ? undefined : id
  })

export const failure = (id: Id, code: number, message: string, data?: unknown): Answer => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

export const parseFailure = (fault: string): Answer =>
  failure(null, McpSchema.PARSE_ERROR_CODE, `The message is not acceptable: ${fault}`)

const success = (id: Id, result: unknown): Answer => ({ jsonrpc: "2.0", id, result })

const initialized = (version: string, asked: unknown): typeof McpSchema.InitializeResult.Encoded => ({
  protocolVersion: protocolVersions.find((served) => served === asked) ?? protocolVersions[0] ?? "",
  capabilities: { tools: {} },
  serverInfo: { name: "loom", title: "Loom", version },
  instructions
})

/** Answers one message; undefined for notifications and for answers of the client. Never fails. */
export const handle = (
  tools: McpTools,
  version: string,
  run: RunVerb,
  message: unknown
): Effect.Effect<Answer | undefined> => {
  const decoded = decodeEnvelope(message)
  if (Either.isLeft(decoded)) {
    return Effect.succeed(failure(null, McpSchema.INVALID_REQUEST_ERROR_CODE, "This is no JSON-RPC 2.0 message"))
  }
  const { id, method, params = {} } = decoded.right
  if (id === undefined || method === undefined) return Effect.succeed(undefined)
  switch (method) {
    case "initialize":
      return Effect.succeed(success(id, initialized(version, params["protocolVersion"])))
    case "ping":
      return Effect.succeed(success(id, {}))
    case "tools/list":
      return Effect.succeed(success(id, { tools: tools.listing }))
    case "tools/call": {
      const call = decodeCall(params)
      if (Either.isLeft(call)) {
        return Effect.succeed(failure(id, McpSchema.INVALID_PARAMS_ERROR_CODE, "`name` is missing or no text"))
      }
      const { arguments: args, name } = call.right
      const result = tools.call(name, args ?? {}, run)
      return result === undefined
        ? Effect.succeed(failure(
          id,
          McpSchema.INVALID_PARAMS_ERROR_CODE,
          `There is no tool \`${name.slice(0, 80)}\`; loom_op with op \`help\` lists every verb`
        ))
        : Effect.map(result, (result) => success(id, result))
    }
    default:
      return Effect.succeed(
        failure(id, McpSchema.METHOD_NOT_FOUND_ERROR_CODE, `There is no method \`${method.slice(0, 80)}\``)
      )
  }
}
