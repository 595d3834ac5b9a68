/**
 * MCP over streamable HTTP at `/mcp`. Each POST stands alone: its bearer token says who calls, and its answer is plain
 * JSON. There is no stream from the server and no session, which the protocol allows (GET and DELETE are 405).
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import { isUtf8 } from "node:buffer"
import type { Authenticator } from "../../src/access/Authenticator.ts"
import { refuse } from "../../src/kernel/LoomError.ts"
import type { Dispatch } from "./Dispatch.ts"
import { readBytes } from "./HttpBody.ts"
import { errorResponse, methodResponse } from "./HttpError.ts"
import { handle, parseFailure, protocolVersions } from "./McpSession.ts"
import * as McpTools from "./McpTools.ts"
import type { RpcCall } from "./RpcCall.ts"
import { make as makeCall } from "./RpcCall.ts"
import { readJson } from "./RpcWire.ts"

const PATH = "/mcp"

// Earlier protocol versions allow an array of messages; more than this is no client at work.
const MAX_BATCH = 100

const answer = Effect.fn("Mcp.answer")(function*(
  call: RpcCall,
  tools: McpTools.McpTools,
  version: string,
  request: HttpServerRequest.HttpServerRequest
) {
  const caller = yield* call.caller(request.headers)
  const protocol = request.headers["mcp-protocol-version"]
  if (protocol !== undefined && !protocolVersions.includes(protocol)) {
    return yield* refuse("INVALID_ARGUMENT", "The MCP protocol version is not served", { served: protocolVersions })
  }
  const bytes = yield* readBytes(request)
  const parsed = isUtf8(bytes) ? readJson(bytes.toString("utf8")) : Either.left("not UTF-8")
  if (Either.isLeft(parsed)) return HttpServerResponse.unsafeJson(parseFailure(parsed.left), { status: 400 })
  const batch: ReadonlyArray<unknown> = Array.isArray(parsed.right) ? parsed.right : [parsed.right]
  if (batch.length > MAX_BATCH) {
    return yield* refuse("INVALID_ARGUMENT", `A batch holds at most ${MAX_BATCH} messages`, { limit: MAX_BATCH })
  }
  const run: McpTools.RunVerb = (tag, payload) => call.run(tag, payload, caller)
  const answers = yield* Effect.forEach(batch, (message) => handle(tools, version, run, message), {
    concurrency: "unbounded"
  })
  const given = answers.filter((one) => one !== undefined)
  const [first] = given
  if (first === undefined) return HttpServerResponse.empty({ status: 202 })
  if (Array.isArray(parsed.right)) return HttpServerResponse.unsafeJson(given)
  // Without an id there is no request that the answer could belong to.
  return HttpServerResponse.unsafeJson(first, { status: first.id === null ? 400 : 200 })
}, Effect.catchAll((error) => Effect.succeed(errorResponse(error))))

/** The route, for the one `HttpLayerRouter` of the gateway; `version` is that of the build. */
export const layerRoutes = (
  version: string
): Layer.Layer<never, never, Authenticator | Dispatch | HttpLayerRouter.HttpRouter> =>
  HttpLayerRouter.use((router) =>
    Effect.gen(function*() {
      const call = yield* makeCall
      const tools = McpTools.make(call.verbs)
      yield* router.add("POST", PATH, (request) => answer(call, tools, version, request))
      yield* router.add("GET", PATH, Effect.succeed(methodResponse(["POST"])))
      yield* router.add("DELETE", PATH, Effect.succeed(methodResponse(["POST"])))
    })
  )
