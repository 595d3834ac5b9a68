/**
 * The caller of an HTTP request, for every edge that is served over HTTP. A route either asks `authenticate` itself or
 * takes the middleware and finds the caller in its context; both refuse in the one error shape.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Authenticator } from "../../src/access/Authenticator.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { Refusal, StoreError } from "../../src/kernel/LoomError.ts"
import { errorResponse } from "./HttpError.ts"

/** The caller of the request that is being answered. */
export class CurrentCaller extends Context.Tag("loom/services/gateway/Auth/CurrentCaller")<CurrentCaller, Caller>() {}

/** The caller of a request by its `Authorization` header. */
export const authenticate = (
  authenticator: typeof Authenticator.Service,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Caller, Refusal | StoreError> => authenticator.authenticate(request.headers["authorization"])

/**
 * Middleware for routes that need a caller in their context: `routes.pipe(Layer.provide(CallerMiddleware.layer))`. A
 * request without one is answered 401 before the route runs.
 */
export const CallerMiddleware = HttpLayerRouter.middleware<{ provides: CurrentCaller }>()(
  Effect.map(
    Authenticator,
    (authenticator) => (route) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request) =>
          Effect.matchEffect(authenticate(authenticator, request), {
            onFailure: (error) => Effect.succeed(errorResponse(error)),
            onSuccess: (caller) => Effect.provideService(route, CurrentCaller, caller)
          })
      )
  )
)
