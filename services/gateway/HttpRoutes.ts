/**
 * The routes of the HTTP edge. `POST /v1/<verb>` finds the caller, reads one JSON object and hands both to `Dispatch`; it
 * decides nothing. The registry, the contract and the health probes are open to everybody: they tell how to call, never
 * what is stored.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Authenticator } from "../../src/access/Authenticator.ts"
import { refuse } from "../../src/kernel/LoomError.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { payloadFields } from "../../src/kernel/Verb.ts"
import { authenticate } from "./Auth.ts"
import { Dispatch } from "./Dispatch.ts"
import type { Readiness } from "./Health.ts"
import * as HealthRoutes from "./HealthRoutes.ts"
import { readOnly } from "./HealthRoutes.ts"
import { readObject } from "./HttpBody.ts"
import type { JsonObject } from "./HttpBody.ts"
import { docsPage } from "./HttpDocsPage.ts"
import { errorResponse, methodResponse } from "./HttpError.ts"
import { openApi } from "./OpenApi.ts"
import { registry } from "./VerbRegistry.ts"

type Response = HttpServerResponse.HttpServerResponse

/**
 * Takes the `Idempotency-Key` header for the field of that name. A verb without the field that may be repeated anyway
 * needs none; any other refuses it like every unknown field, so that nobody relies on a key that does nothing.
 */
const withIdempotencyKey = (
  verb: VerbFacts,
  takesKey: boolean,
  key: string | undefined,
  body: JsonObject
): JsonObject =>
  key === undefined || "idempotency_key" in body || (!takesKey && (verb.idempotent || !verb.writes))
    ? body
    : { ...body, idempotency_key: key }

const callVerb = Effect.gen(function*() {
  const dispatch = yield* Dispatch
  const authenticator = yield* Authenticator
  const verbs = new Map(dispatch.verbs.map((verb) => [
    verb.tag,
    { verb, takesKey: payloadFields(verb).includes("idempotency_key") }
  ]))
  return (tag: string, request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response> => {
    const entry = verbs.get(tag)
    if (entry === undefined) {
      const verb = tag.slice(0, 80)
      return Effect.succeed(errorResponse(refuse("UNKNOWN_VERB", `There is no verb \`${verb}\``, { verb })))
    }
    if (request.method !== "POST") return Effect.succeed(methodResponse(["POST"]))
    return authenticate(authenticator, request).pipe(
      Effect.flatMap((caller) =>
        Effect.flatMap(readObject(request), (body) =>
          dispatch.call(
            tag,
            withIdempotencyKey(entry.verb, entry.takesKey, request.headers["idempotency-key"], body),
            caller
          ))
      ),
      Effect.match({ onFailure: errorResponse, onSuccess: (answer) => HttpServerResponse.unsafeJson(answer) })
    )
  }
})

export interface RouteOptions {
  /** The version of this build, as `GET /v1/verbs` and OpenAPI say it. */
  readonly version: string
}

const routes = ({ version }: RouteOptions) =>
  Effect.gen(function*() {
    const { verbs } = yield* Dispatch
    const probes = yield* HealthRoutes.routes(version)
    const call = yield* callVerb
    const verbRoute = (path: HttpLayerRouter.PathInput) =>
      HttpLayerRouter.route(
        "*",
        path,
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          (request) => Effect.flatMap(HttpLayerRouter.params, ({ verb }) => call(verb ?? "", request))
        )
      )
    return [
      verbRoute("/v1/:verb"),
      readOnly("/v1/verbs", Effect.succeed(HttpServerResponse.unsafeJson(registry(verbs, version)))),
      ...probes,
      readOnly("/openapi.json", Effect.succeed(HttpServerResponse.unsafeJson(openApi(verbs, version)))),
      readOnly("/docs", Effect.succeed(docsPage(verbs, version))),
      readOnly("/", Effect.succeed(HttpServerResponse.redirect("/docs")))
    ]
  })

/** All routes of this edge. */
export const layer = (
  options: RouteOptions
): Layer.Layer<never, never, HttpLayerRouter.HttpRouter | Dispatch | Authenticator | Readiness> =>
  HttpLayerRouter.addAll(routes(options))
