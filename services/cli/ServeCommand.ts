/**
 * `loom serve`: the options of the server.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommonOptions from "./CommonOptions.ts"

export const serveCommand = Command.make(
  "serve",
  {
    port: CommonOptions.port,
    host: CommonOptions.host,
    data: CommonOptions.data,
    mode: CommonOptions.mode,
    json: CommonOptions.asJson
  },
  ({ data, host, json, mode, port }) =>
    Effect.flatMap(
      Effect.promise(() => import("./ServeRun.ts")),
      ({ run }) => run({ LOOM_PORT: port, LOOM_HOST: host, LOOM_DATA: data, LOOM_MODE: mode }, json)
    )
).pipe(
  Command.withDescription("Run the whole memory server in this process")
)
