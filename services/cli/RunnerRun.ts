/**
 * A run of `loom runner`: checks the configuration and its own address, joins the cluster and says where it is. It ends
 * with 0 when it is told to stop, after what it has begun. Apart from its command for the sake of the others' start.
 */
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClusterSettings from "../layers/ClusterSettings.ts"
import type { RunnerSettings } from "../layers/ClusterSettings.ts"
import * as Runner from "../runner/Runner.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Observed from "./Observed.ts"
import * as Output from "./Output.ts"
import * as PartSettings from "./PartSettings.ts"
import * as PortCheck from "./PortCheck.ts"
import { urlOf } from "./ServerAddress.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"
import { version } from "./Version.ts"

const config = Config.all({ runner: ClusterSettings.runner, parts: PartSettings.config })

const addressText = ({ host, port }: RunnerAddress): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

const lines = (address: string, url: string): ReadonlyArray<string> => [
  `Loom ${version} runner at ${address}; its health serves at ${url}`,
  "Stores  the ClickHouse of LOOM_CLICKHOUSE_URL and the Postgres of LOOM_POSTGRES_URL",
  `Health  ${url}/readyz`,
  "Stop    Ctrl-C or SIGTERM; it finishes what it has begun and hands its namespaces to the other runners"
]

const serve = (settings: RunnerSettings, asJson: boolean) =>
  Effect.gen(function*() {
    const address = yield* Runner.findAddress(settings)
    yield* PortCheck.refuseIfTaken(settings.host, settings.port)
    yield* Output.note("loom: joining the cluster")
    const context = yield* Layer.build(Runner.layer(settings, address, version))
    const url = yield* Effect.provide(HttpServer.addressWith((found) => Effect.succeed(urlOf(found))), context)
    const place = addressText(address)
    yield* Output.result(asJson, { role: "runner", address: place, url, pid: process.pid, version }, () =>
      lines(place, url))
    return yield* Effect.never
  }).pipe(Effect.scoped)

/** Runs until it is interrupted; the options stand in front of the configuration. */
export const run = (overrides: CommonOptions.Overrides, asJson: boolean): Effect.Effect<never, CliFailure, Stop> => {
  const options = CommonOptions.optionNames(overrides)
  return Effect.gen(function*() {
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    const { parts, runner } = yield* Effect.mapError(config, (error) => startFailure(error, { options }))
    return yield* serve(runner, asJson).pipe(
      Effect.mapError((error) =>
        startFailure(error, {
          host: runner.host,
          port: runner.port,
          runner: { host: runner.runnerHost, port: runner.runnerPort },
          options
        })
      ),
      Effect.provide(Observed.layer(parts, "runner"))
    )
  }).pipe((program) => CommonOptions.withOverrides(program, overrides))
}
