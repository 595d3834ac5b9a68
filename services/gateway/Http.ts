/**
 * The HTTP server of a process: its socket, the edge around all routes, the routes of this house, and those that others
 * bring (RPC, MCP, a composer's own). Built above whatever answers the verbs, so it goes first when the process ends.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Authenticator } from "../../src/access/Authenticator.ts"
import * as HttpEdge from "./HttpEdge.ts"
import { isLoopback } from "./HttpGuard.ts"
import * as HttpListener from "./HttpListener.ts"
import type { ListenOptions } from "./HttpListener.ts"
import * as HttpRoutes from "./HttpRoutes.ts"
import type { RouteOptions } from "./HttpRoutes.ts"

export interface HttpOptions extends ListenOptions, RouteOptions {}

/** In single-user mode everybody who reaches the server is let in, so it listens on loopback alone. */
export class ListenRefused extends Schema.TaggedError<ListenRefused>()("ListenRefused", { host: Schema.String }) {
  override get message() {
    return `Without tokens the server listens on a loopback address alone, not on ${this.host}; turn on team mode first`
  }
}

const loopbackOrTokens = (host: string): Layer.Layer<never, ListenRefused, Authenticator> =>
  Layer.effectDiscard(
    Effect.flatMap(Authenticator, ({ open }) =>
      open && !isLoopback(host) ? Effect.fail(new ListenRefused({ host })) : Effect.void)
  )

// Released before the routes are, which is after it in this order.
const drainFirst = Layer.scopedDiscard(
  Effect.flatMap(HttpListener.HttpListener, ({ drain }) => Effect.addFinalizer(() => drain))
)

// Asked every few seconds by supervisors and collectors: a trace of each says nothing.
const PROBES = ["/livez", "/readyz", "/v1/health", "/metrics"]

/**
 * Serves the verbs of `Dispatch` and whatever `more` adds to the router; the address is in `HttpServer`. Routes of
 * `more` stand inside the edge (request ids, error shape, single-user guard) and see to their own callers (`Auth`).
 */
export const layerHttp = <E = never, R = never>(
  options: HttpOptions,
  more: Layer.Layer<never, E, R | HttpLayerRouter.HttpRouter> = Layer.empty
) =>
  drainFirst.pipe(
    Layer.provideMerge(
      HttpLayerRouter.serve(Layer.mergeAll(HttpEdge.layer, HttpRoutes.layer(options), more), {
        disableLogger: true,
        disableListenLog: true,
        routerConfig: { caseSensitive: true, ignoreDuplicateSlashes: false }
      }).pipe(HttpMiddleware.withTracerDisabledForUrls(PROBES))
    ),
    Layer.provideMerge(HttpListener.layer(options)),
    Layer.provideMerge(loopbackOrTokens(options.host))
  )
