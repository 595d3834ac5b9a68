/**
 * A run of `loom serve`: checks the configuration, starts the whole server and says where it serves, where the data lies
 * and how to try it. It ends with 0 when it is told to stop. Apart from its command, since half of the code of the house
 * hangs on it, which no other command should wait for.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import { ListenRefused } from "../gateway/Http.ts"
import { isLoopback } from "../gateway/HttpGuard.ts"
import * as Settings from "../layers/Settings.ts"
import type { ServeSettings } from "../layers/Settings.ts"
import * as Serve from "../serve/Serve.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Observed from "./Observed.ts"
import * as Output from "./Output.ts"
import * as PartSettings from "./PartSettings.ts"
import * as PortCheck from "./PortCheck.ts"
import { urlOf } from "./ServerAddress.ts"
import * as ServerFile from "./ServerFile.ts"
import type { StartError } from "./StartFailure.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"
import { version } from "./Version.ts"

const config = Config.all({ serve: Settings.serve, parts: PartSettings.config })

const firstNote = `{"memory_key":"project/loom/first-note","value":"Loom keeps what agents learn"}`

const lines = (settings: ServeSettings, url: string): ReadonlyArray<string> => {
  const team = settings.mode === "team"
  const store = settings.url ? "in the ClickHouse server of LOOM_CLICKHOUSE_URL" : "in an embedded ClickHouse engine"
  const header = team ? ` -H "authorization: Bearer $LOOM_API_KEY"` : ""
  const place = team ? `{"namespace":"team",${firstNote.slice(1)}` : firstNote
  return [
    `Loom ${version} serves at ${url} (${
      team ? "team mode: every request needs a token" : "single-user mode: no token needed"
    })`,
    `Data   ${settings.data} (rows ${store})`,
    `Docs   ${url}/docs`,
    ...(team ? ["Token  loom mint-token --org acme --namespaces team --role write --subject me"] : []),
    `Try    curl -s${header} ${url}/v1/memory.set -d '${place}'`,
    "Stop   Ctrl-C"
  ]
}

const facts = (settings: ServeSettings, url: string) => ({
  url,
  data: settings.data,
  mode: settings.mode,
  store: settings.url ? "clickhouse" : "embedded",
  pid: process.pid,
  version
})

const serve = (
  settings: ServeSettings,
  asJson: boolean
): Effect.Effect<never, StartError, HttpClient.HttpClient | Stop> =>
  Effect.gen(function*() {
    if (settings.mode === "single" && !isLoopback(settings.host)) {
      return yield* new ListenRefused({ host: settings.host })
    }
    if (!settings.url) yield* FolderOwner.refuseIfServed(settings.data)
    yield* PortCheck.refuseIfTaken(settings.host, settings.port)
    yield* Output.note(`loom: starting on ${settings.data}`)
    const context = yield* Layer.build(Serve.layer(settings, version))
    const url = yield* Effect.provide(HttpServer.addressWith((address) => Effect.succeed(urlOf(address))), context)
    yield* ServerFile.claim(settings.data, url)
    yield* Output.result(asJson, facts(settings, url), () => lines(settings, url))
    return yield* Effect.never
  }).pipe(Effect.scoped)

const explained = (
  settings: ServeSettings,
  running: Effect.Effect<never, StartError, HttpClient.HttpClient | Stop>
): Effect.Effect<never, CliFailure, HttpClient.HttpClient | Stop> =>
  Effect.catchAll(running, (error) =>
    Effect.flatMap(ServerFile.read(settings.data), (server) =>
      Effect.fail(
        startFailure(error, {
          host: settings.host,
          port: settings.port,
          servedAt: Option.getOrUndefined(Option.map(server, ({ url }) => url))
        })
      )))

/** Serves until it is interrupted; the options stand in front of the configuration. */
export const run = (
  overrides: CommonOptions.Overrides,
  asJson: boolean
): Effect.Effect<never, CliFailure, HttpClient.HttpClient | Stop> => {
  const options = CommonOptions.optionNames(overrides)
  return Effect.gen(function*() {
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    const read = yield* Effect.mapError(config, (error) => startFailure(error, { options }))
    const settings = { ...read.serve, data: resolve(read.serve.data) }
    return yield* Effect.provide(explained(settings, serve(settings, asJson)), Observed.layer(read.parts, "serve"))
  }).pipe((program) => CommonOptions.withOverrides(program, overrides))
}
