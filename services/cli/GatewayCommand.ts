/**
 * `loom gateway`: the options of a gateway.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommonOptions from "./CommonOptions.ts"

export const gatewayCommand = Command.make(
  "gateway",
  {
    port: CommonOptions.port,
    host: CommonOptions.host,
    data: CommonOptions.text(
      "data",
      "folder",
      "Where the root token lies; the memories are in ClickHouse (LOOM_DATA; default ~/.loom)"
    ),
    mode: CommonOptions.mode,
    json: CommonOptions.asJson
  },
  ({ data, host, json, mode, port }) =>
    Effect.flatMap(
      Effect.promise(() => import("./GatewayRun.ts")),
      ({ run }) => run({ LOOM_PORT: port, LOOM_HOST: host, LOOM_DATA: data, LOOM_MODE: mode }, json)
    )
).pipe(
  Command.withDescription("Serve the memory of a cluster: HTTP, RPC and MCP in front of its runners")
)
