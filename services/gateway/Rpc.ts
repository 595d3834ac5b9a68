/**
 * The public RPC edge: a websocket at `/rpc` and plain HTTP at `/rpc/http`, both ndjson. The wire is that of the typed
 * group in `src/client/LoomRpcs.ts`; here the same tags take payloads raw and answers encoded, so that `Dispatch` decodes
 * once, strictly, and a bad payload is the same typed refusal as over HTTP. The token rides in the headers of a call or of
 * the connection, and is looked at on every call, so a revoked one stops at once.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import type * as RpcMessage from "@effect/rpc/RpcMessage"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as RpcServer from "@effect/rpc/RpcServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Authenticator } from "../../src/access/Authenticator.ts"
import { LoomError, refuse } from "../../src/kernel/LoomError.ts"
import type { Dispatch } from "./Dispatch.ts"
import { readBytes } from "./HttpBody.ts"
import { errorResponse } from "./HttpError.ts"
import type { RpcCall } from "./RpcCall.ts"
import { make as makeCall } from "./RpcCall.ts"
import { serialization, UnsoundPayload, wholeFrames } from "./RpcWire.ts"

const WEBSOCKET_PATH = "/rpc"
const HTTP_PATH = "/rpc/http"

const rawRpc = (tag: string) => Rpc.make(tag, { payload: Schema.Unknown, success: Schema.Unknown, error: LoomError })

const handler = (call: RpcCall, tag: string) => (payload: unknown, { headers }: { readonly headers: Headers }) =>
  payload instanceof UnsoundPayload
    ? Effect.fail(refuse("INVALID_ARGUMENT", `The payload is not acceptable JSON: ${payload.fault}`))
    : Effect.flatMap(call.caller(headers), (caller) => call.run(tag, payload, caller))

type Headers = Parameters<RpcCall["caller"]>[0]

/** Answers a call of a verb that this server lacks with `UNKNOWN_VERB`; RpcServer itself would fail every open call. */
const refuseUnknown = (known: ReadonlySet<string>, protocol: typeof RpcServer.Protocol.Service) =>
  RpcServer.Protocol.of({
    ...protocol,
    run: (forward) =>
      protocol.run((clientId, message) =>
        message._tag === "Request" && !known.has(message.tag)
          ? protocol.send(clientId, unknownVerb(message))
          : forward(clientId, message)
      )
  })

const encodeError = Schema.encodeSync(LoomError)

const unknownVerb = (request: RpcMessage.RequestEncoded): RpcMessage.FromServerEncoded => {
  const verb = request.tag.slice(0, 80)
  const error = encodeError(refuse("UNKNOWN_VERB", `There is no verb \`${verb}\``, { verb }))
  return {
    _tag: "Exit",
    requestId: String(request.id),
    exit: { _tag: "Failure", cause: { _tag: "Fail", error } }
  }
}

/** One transport: its protocol, and the HTTP handler that feeds it. */
interface Transport {
  readonly protocol: typeof RpcServer.Protocol.Service
  readonly httpApp: HttpApp.Default<never, Scope.Scope>
}

const route = (
  method: "GET" | "POST",
  path: HttpLayerRouter.PathInput,
  guard: (request: HttpServerRequest.HttpServerRequest, app: Transport["httpApp"]) => Transport["httpApp"],
  transport: Effect.Effect<Transport, never, RpcSerialization.RpcSerialization>
): Layer.Layer<never, never, Authenticator | Dispatch | HttpLayerRouter.HttpRouter> =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const call = yield* makeCall
    const router = yield* HttpLayerRouter.HttpRouter
    const { httpApp, protocol } = yield* transport
    yield* router.add(method, path, (request) => guard(request, httpApp))
    const group = RpcGroup.make(...call.verbs.map((verb) => rawRpc(verb.tag)))
    const handlers = Object.fromEntries(call.verbs.map((verb) => [verb.tag, handler(call, verb.tag)]))
    return RpcServer.layer(group, { disableFatalDefects: true, spanPrefix: "Rpc" }).pipe(
      Layer.provide(group.toLayer(handlers)),
      Layer.provide(
        Layer.succeed(RpcServer.Protocol, refuseUnknown(new Set(call.verbs.map((verb) => verb.tag)), protocol))
      )
    )
  })).pipe(Layer.provide(Layer.succeed(RpcSerialization.RpcSerialization, serialization)))

/**
 * Only an upgrade of a live connection goes on. On one that was ended (a client that reuses it after a refused upgrade)
 * neither the upgrade nor the writing of a body would ever be done, or be interruptible, and would hold up the server's end.
 */
const upgradesOnly = (request: HttpServerRequest.HttpServerRequest, app: Transport["httpApp"]) => {
  if (request.headers["upgrade"]?.toLowerCase() !== "websocket") {
    return HttpServerResponse.text("This address takes a websocket\n", {
      status: 426,
      headers: { upgrade: "websocket", connection: "close" }
    })
  }
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  return socket.writable && socket.readable ? app : HttpServerResponse.empty({ status: 400 })
}

/**
 * The transport reads the body by itself and without a bound, so it is given one that was read in bounds. A body without a
 * request would get an empty 200 from it, so it is refused here; the last line of one that is sound may lack its end.
 */
const boundedBody = (request: HttpServerRequest.HttpServerRequest, app: Transport["httpApp"]) =>
  Effect.matchEffect(Effect.flatMap(readBytes(request), wholeFrames), {
    onFailure: (error) => Effect.succeed(errorResponse(error)),
    onSuccess: (body) => {
      const whole = new Request(`http://localhost${HTTP_PATH}`, { method: "POST", body, headers: request.headers })
      return Effect.provideService(app, HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(whole))
    }
  })

/** Both routes, for the one `HttpLayerRouter` of the gateway. */
export const layerRoutes: Layer.Layer<never, never, Authenticator | Dispatch | HttpLayerRouter.HttpRouter> = Layer
  .merge(
    route("GET", WEBSOCKET_PATH, upgradesOnly, RpcServer.makeProtocolWithHttpAppWebsocket),
    route("POST", HTTP_PATH, boundedBody, RpcServer.makeProtocolWithHttpApp)
  )
