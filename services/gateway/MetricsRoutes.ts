/**
 * `GET /metrics` of a process. What it tells of load and lag is for operators: where requests need tokens it takes an
 * admin's, or the one of `LOOM_METRICS_TOKEN`, which a collector can hold without being able to do anything else. In
 * single-user mode it is as open as everything else there.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import { Authenticator, bearerOf } from "../../src/access/Authenticator.ts"
import { allows } from "../../src/kernel/Caller.ts"
import { refuse } from "../../src/kernel/LoomError.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { errorResponse, methodResponse } from "./HttpError.ts"
import { isLoopback } from "./HttpGuard.ts"
import { prometheusText } from "./Prometheus.ts"

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const token = Config.option(Config.redacted("LOOM_METRICS_TOKEN"))

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const isToken = (expected: Option.Option<Redacted.Redacted>, authorization: string | undefined): boolean => {
  const given = bearerOf(authorization)
  return given !== undefined &&
    Option.exists(expected, (one) => timingSafeEqual(digest(Redacted.value(one)), digest(given)))
}

const page = Effect.map(
  Metric.snapshot,
  (pairs) => HttpServerResponse.text(prometheusText(pairs), { contentType: CONTENT_TYPE })
)

/** The route, for whom `mayRead` lets in beside the token. */
const route = (mayRead: (authorization: string | undefined) => Effect.Effect<void, LoomError>) =>
  Effect.map(
    token,
    (expected) =>
      HttpLayerRouter.route("*", "/metrics", (request: HttpServerRequest.HttpServerRequest) => {
        if (request.method !== "GET" && request.method !== "HEAD") {
          return Effect.succeed(methodResponse(["GET", "HEAD"]))
        }
        const authorization = request.headers["authorization"]
        const admitted = isToken(expected, authorization) ? Effect.void : mayRead(authorization)
        return Effect.matchEffect(admitted, {
          onFailure: (error) => Effect.succeed(errorResponse(error)),
          onSuccess: () => page
        })
      })
  )

/** Of a process with edges: for admins. */
export const layer = HttpLayerRouter.addAll(
  Effect.flatMap(Authenticator, ({ authenticate }) =>
    Effect.map(
      route((authorization) =>
        Effect.flatMap(authenticate(authorization), (caller) =>
          allows(caller, "admin") && caller.boundUser === null
            ? Effect.void
            : Effect.fail(refuse("FORBIDDEN", "This needs a token of role admin", { role: "admin" })))
      ),
      (one) => [one]
    ))
)

/** Of a process that knows no callers: open where nobody but this machine can ask, else for the token alone. */
export const layerWithoutCallers = (host: string) =>
  HttpLayerRouter.addAll(
    Effect.map(
      route(() =>
        isLoopback(host)
          ? Effect.void
          : Effect.fail(refuse("UNAUTHENTICATED", "The metrics of this process take the token of LOOM_METRICS_TOKEN"))
      ),
      (one) => [one]
    )
  )
