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
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"
import * as LanguageModelConfig from "../../src/platform/LanguageModelConfig.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import { ListenRefused } from "../gateway/Http.ts"
import { isLoopback } from "../gateway/HttpGuard.ts"
import * as Settings from "../layers/Settings.ts"
import type { ServeSettings } from "../layers/Settings.ts"
import * as Serve from "../serve/Serve.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Logging from "./Logging.ts"
import * as Output from "./Output.ts"
import * as PortCheck from "./PortCheck.ts"
import * as ServerFile from "./ServerFile.ts"
import type { StartError } from "./StartFailure.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"
import { version } from "./Version.ts"

/** All that is read before anything starts, so that every wrong value is told at once: the parts read theirs once more. */
const config = Config.all({
  serve: Settings.serve,
  embedder: EmbedderConfig.config,
  languageModel: LanguageModelConfig.config,
  sensitivity: SensitivityPolicy.setting,
  rank: RankPolicy.setting,
  gate: GatePolicy.setting,
  logging: Logging.config
})

/** The address to call; a server on all addresses is called on this machine. */
const urlOf = (address: HttpServer.Address): string => {
  if (address._tag === "UnixAddress") return `unix:${address.path}`
  const { hostname, port } = address
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "[::1]" : hostname
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`
}

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
    return yield* Effect.provide(explained(settings, serve(settings, asJson)), Logging.layer(read.logging))
  }).pipe((program) => CommonOptions.withOverrides(program, overrides))
}
