/**
 * The health port of a runner: for supervisors, load balancers and collectors, in the shape in which gateways and serve answer them.
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as Layer from "effect/Layer"
import * as HealthRoutes from "../gateway/HealthRoutes.ts"
import * as HttpListener from "../gateway/HttpListener.ts"
import type { ListenOptions } from "../gateway/HttpListener.ts"
import * as MetricsRoutes from "../gateway/MetricsRoutes.ts"

export interface RunnerHttpOptions extends ListenOptions {
  readonly version: string
}

export const layer = (options: RunnerHttpOptions) =>
  HttpLayerRouter.serve(
    Layer.merge(
      HttpLayerRouter.addAll(HealthRoutes.routes(options.version)),
      MetricsRoutes.layerWithoutCallers(options.host)
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    // Nothing but probes is asked here.
    HttpMiddleware.withTracerDisabledWhen(() => true),
    Layer.provideMerge(HttpListener.layer(options))
  )
