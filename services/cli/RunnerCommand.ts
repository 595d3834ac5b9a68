/**
 * `loom runner`: the options of a runner.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommonOptions from "./CommonOptions.ts"

export const runnerCommand = Command.make(
  "runner",
  {
    runnerPort: CommonOptions.text(
      "runner-port",
      "number",
      "The port for gateways and other runners; 0 takes any free one (LOOM_RUNNER_PORT; default 7780)"
    ),
    runnerHost: CommonOptions.text(
      "runner-host",
      "address",
      "Where they find this runner: loopback or a private address (LOOM_RUNNER_HOST; default 127.0.0.1)"
    ),
    port: CommonOptions.text(
      "port",
      "number",
      "The port of /livez and /readyz; 0 takes any free one (LOOM_PORT; default 7781)"
    ),
    host: CommonOptions.text("host", "address", "The address of /livez and /readyz (LOOM_HOST; default 127.0.0.1)"),
    json: CommonOptions.asJson
  },
  ({ host, json, port, runnerHost, runnerPort }) =>
    Effect.flatMap(
      Effect.promise(() => import("./RunnerRun.ts")),
      ({ run }) =>
        run({ LOOM_RUNNER_PORT: runnerPort, LOOM_RUNNER_HOST: runnerHost, LOOM_PORT: port, LOOM_HOST: host }, json)
    )
).pipe(
  Command.withDescription("Hold a share of a cluster's namespaces and write them")
)
