/**
 * What every answer has in common, whichever edge gives it: a request id, an error in the one shape, no word of a fault.
 * It wraps the whole router, so a route that is merged in later (RPC, MCP, a composer's own) is guarded as well.
 */
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HashSet from "effect/HashSet"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Authenticator } from "../../src/access/Authenticator.ts"
import { mintRequestId } from "../../src/kernel/Ids.ts"
import { LoomError, Unavailable } from "../../src/kernel/LoomError.ts"
import { MAX_BODY_BYTES, oversize } from "./HttpBody.ts"
import { edgeError, errorResponse, faultResponse, wireResponse } from "./HttpError.ts"
import { guard } from "./HttpGuard.ts"
import { HttpListener } from "./HttpListener.ts"

/** The id of the request that is being answered, for logs; `-` outside of one. */
export class RequestId extends Context.Reference<RequestId>()("loom/services/gateway/HttpEdge/RequestId", {
  defaultValue: () => "-"
}) {}

const acceptableId = /^[A-Za-z0-9._-]{1,64}$/

/** The caller's own request id when it is acceptable, else a new one. */
const requestIdOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> => {
  const given = request.headers["x-request-id"]
  return given !== undefined && acceptableId.test(given) ? Effect.succeed(given) : mintRequestId
}

const isLoomError = Schema.is(LoomError)

// A path without its query, which may hold what a caller wants kept out of logs.
const pathOf = (request: HttpServerRequest.HttpServerRequest): string => request.url.split("?", 1)[0] ?? ""

const recover = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  id: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (HashSet.has(Cause.interruptors(cause), HttpServerError.clientAbortFiberId)) return Effect.interrupt
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  if (HttpServerResponse.isServerResponse(failure)) return Effect.succeed(failure)
  if (isLoomError(failure)) return Effect.succeed(errorResponse(failure))
  if (Predicate.isTagged(failure, "RouteNotFound")) {
    return Effect.succeed(wireResponse(edgeError("NOT_FOUND", "There is nothing at this path")))
  }
  if (Predicate.isTagged(failure, "RequestError")) {
    return Effect.succeed(wireResponse(edgeError("BAD_REQUEST", "The body cannot be read")))
  }
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(errorResponse(new Unavailable({ operation: "request" })))
  return Effect.logError("A request met a fault", cause).pipe(
    Effect.annotateLogs({ method: request.method, path: pathOf(request) }),
    Effect.as(faultResponse(id))
  )
}

// Answers hold one tenant's memories: no cache keeps them, and no browser takes them for a page.
const everyAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

type Routes = Effect.Effect<HttpServerResponse.HttpServerResponse, HttpLayerRouter.unhandled>

/** The middleware around all routes of the server. */
export const layer: Layer.Layer<never, never, HttpLayerRouter.HttpRouter | Authenticator | HttpListener> =
  HttpLayerRouter.use((router) =>
    Effect.gen(function*() {
      const { open } = yield* Authenticator
      const listener = yield* HttpListener
      const finish = (response: HttpServerResponse.HttpServerResponse, id: string) =>
        HttpServerResponse.setHeaders(response, {
          ...everyAnswer,
          ...response.headers,
          "x-request-id": id,
          // A connection that is told so does not come back to a server that is going.
          ...(listener.isDraining() ? { connection: "close" } : {})
        })
      const around = (
        routes: Routes,
        request: HttpServerRequest.HttpServerRequest,
        id: string
      ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
        const refused = (open ? guard(request.headers) : undefined) ?? oversize(request)
        const answer = refused === undefined
          ? Effect.catchAllCause(routes, (cause) => recover(cause, request, id))
          : Effect.succeed(errorResponse(refused))
        return answer.pipe(
          Effect.map((response) => finish(response, id)),
          Effect.annotateLogs("request_id", id),
          Effect.provideService(RequestId, id),
          // For routes that read a body by the platform's own means.
          HttpIncomingMessage.withMaxBodySize(Option.some(MAX_BODY_BYTES))
        )
      }
      yield* router.addGlobalMiddleware((routes): Effect.Effect<
        HttpServerResponse.HttpServerResponse,
        // Nothing fails any more; the type keeps the mark that the router asks for.
        HttpLayerRouter.unhandled,
        HttpServerRequest.HttpServerRequest
      > =>
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          (request) => Effect.flatMap(requestIdOf(request), (id) => around(routes, request, id))
        )
      )
    })
  )
