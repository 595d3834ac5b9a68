/**
 * The probes of a process: `/livez` says that it answers at all, `/readyz` whether it can do its work. Open to everybody.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { Readiness } from "./Health.ts"
import { methodResponse } from "./HttpError.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A path that is read with GET (and HEAD) and nothing else. */
export const readOnly = (path: HttpLayerRouter.PathInput, answer: Effect.Effect<Response>) =>
  HttpLayerRouter.route("*", path, (request) =>
    request.method === "GET" || request.method === "HEAD"
      ? answer
      : Effect.succeed(methodResponse(["GET", "HEAD"])))

/** `/livez`, `/readyz` and `/v1/health` of a process of this version. */
export const routes = (version: string) =>
  Effect.map(Readiness, (readiness) => {
    const ready = Effect.map(
      readiness.check,
      (report) =>
        HttpServerResponse.unsafeJson({ live: true, ...report, version }, { status: report.ready ? 200 : 503 })
    )
    return [
      // A process that lives says so with 200 whatever it stands on; `/readyz` is for who must not send to one unready.
      readOnly("/v1/health", Effect.map(ready, HttpServerResponse.setStatus(200))),
      readOnly("/livez", Effect.succeed(HttpServerResponse.unsafeJson({ live: true, version }))),
      readOnly("/readyz", ready)
    ]
  })
