/**
 * A run of `loom gateway`: checks the configuration, connects to the cluster's stores and says where it serves. It ends
 * with 0 when it is told to stop. Apart from its command for the sake of the others' start.
 */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import * as Gateway from "../gateway/Gateway.ts"
import { ListenRefused } from "../gateway/Http.ts"
import { isLoopback } from "../gateway/HttpGuard.ts"
import * as ClusterSettings from "../layers/ClusterSettings.ts"
import type { GatewaySettings } from "../layers/ClusterSettings.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Observed from "./Observed.ts"
import * as Output from "./Output.ts"
import * as PartSettings from "./PartSettings.ts"
import * as PortCheck from "./PortCheck.ts"
import { urlOf } from "./ServerAddress.ts"
import * as ServerFile from "./ServerFile.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"
import { version } from "./Version.ts"

const config = Config.all({ gateway: ClusterSettings.gateway, parts: PartSettings.config })

const lines = (settings: GatewaySettings, url: string): ReadonlyArray<string> => [
  `Loom ${version} gateway serves at ${url} (${
    settings.mode === "team" ? "team mode: every request needs a token" : "single-user mode: no token needed"
  })`,
  "Stores  the ClickHouse of LOOM_CLICKHOUSE_URL and the Postgres of LOOM_POSTGRES_URL; writes go to the runners there",
  `Docs    ${url}/docs`,
  ...(settings.mode === "team"
    ? ["Token   loom mint-token --org acme --namespaces team --role write --subject me"]
    : []),
  "Stop    Ctrl-C or SIGTERM; requests finish first"
]

/** The folder's server file names the server whose root token lies there; a living one is not written over. */
const claim = (data: string, url: string) =>
  Effect.flatMap(ServerFile.read(data), (other) => Option.isSome(other) ? Effect.void : ServerFile.claim(data, url))

const serve = (settings: GatewaySettings, asJson: boolean) =>
  Effect.gen(function*() {
    if (settings.mode === "single" && !isLoopback(settings.host)) {
      return yield* new ListenRefused({ host: settings.host })
    }
    yield* PortCheck.refuseIfTaken(settings.host, settings.port)
    yield* Output.note("loom: connecting to the cluster")
    const context = yield* Layer.build(Gateway.layer(settings, version))
    const url = yield* Effect.provide(HttpServer.addressWith((address) => Effect.succeed(urlOf(address))), context)
    yield* claim(settings.data, url)
    const facts = { role: "gateway", url, data: settings.data, mode: settings.mode, pid: process.pid, version }
    yield* Output.result(asJson, facts, () => lines(settings, url))
    return yield* Effect.never
  }).pipe(Effect.scoped)

/** Serves until it is interrupted; the options stand in front of the configuration. */
export const run = (overrides: CommonOptions.Overrides, asJson: boolean): Effect.Effect<never, CliFailure, Stop> => {
  const options = CommonOptions.optionNames(overrides)
  return Effect.gen(function*() {
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    const read = yield* Effect.mapError(config, (error) => startFailure(error, { options }))
    const settings = { ...read.gateway, data: resolve(read.gateway.data) }
    return yield* serve(settings, asJson).pipe(
      Effect.mapError((error) => startFailure(error, { host: settings.host, port: settings.port, options })),
      Effect.provide(Observed.layer(read.parts, "gateway"))
    )
  }).pipe((program) => CommonOptions.withOverrides(program, overrides))
}
