/**
 * All edges of a process with what they alone need: HTTP, RPC and MCP over the one table of verbs, and who may call. It
 * is the same in serve and in a gateway, so no verb is in one and not in the other. Built above the way to the actors, it
 * ends before it: requests finish first.
 */
import * as Layer from "effect/Layer"
import * as Authenticator from "../../src/access/Authenticator.ts"
import type { EdgeSettings } from "../layers/Settings.ts"
import * as Slices from "../layers/Slices.ts"
import * as Http from "./Http.ts"
import * as Mcp from "./Mcp.ts"
import * as MetricsRoutes from "./MetricsRoutes.ts"
import * as Rpc from "./Rpc.ts"

export const layer = (settings: EdgeSettings, version: string) =>
  Http.layerHttp(
    { host: settings.host, port: settings.port, version },
    Layer.mergeAll(Rpc.layerRoutes, Mcp.layerRoutes(version), MetricsRoutes.layer)
  ).pipe(
    Layer.provideMerge(
      Layer.merge(
        Slices.layerDispatch,
        settings.mode === "team" ? Authenticator.layerTeam : Authenticator.layerSingleUser
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(Slices.layerTokens, Slices.layerAsk(settings.ask), Slices.layerForFile(settings.forFile))
    )
  )
