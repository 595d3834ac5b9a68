/**
 * `loom engine`: serves the embedded engine to other processes of this machine and says how they connect.
 */
import * as Command from "@effect/cli/Command"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import { ClickhouseEngineServer } from "../../src/platform/ClickhouseEngineServer.ts"
import * as Engine from "../engine/Engine.ts"
import * as CliSettings from "./CliSettings.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Logging from "./Logging.ts"
import * as Output from "./Output.ts"
import * as ServerFile from "./ServerFile.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"

const config = Config.all({ data: CliSettings.data, port: CliSettings.enginePort, logging: Logging.config })

const lines = (url: string, path: string, token: string): ReadonlyArray<string> => [
  `The ClickHouse engine of ${path} serves at ${url} (loopback only)`,
  `Token    ${token}`,
  `Try      curl -s -H "X-ClickHouse-Key: $(cat ${token})" '${url}/?query=SELECT%20version()'`,
  `Clients  any ClickHouse client over HTTP, with user default and the token as its password`,
  `Loom     LOOM_CLICKHOUSE_URL=${url} LOOM_CLICKHOUSE_PASSWORD="$(cat ${token})" loom migrate --check`,
  "Stop     Ctrl-C"
]

const serve = (folder: string, port: number, asJson: boolean) =>
  Effect.gen(function*() {
    yield* FolderOwner.refuseIfServed(folder)
    const path = FolderOwner.engineFolder(folder)
    yield* Output.note(`loom: opening the engine of ${path}`)
    const context = yield* Layer.build(Engine.layer({ path, port }))
    const { url } = yield* Effect.provide(ClickhouseEngineServer, context)
    const token = Engine.tokenFile(path)
    yield* Output.result(asJson, { url, path, token_file: token, pid: process.pid }, () => lines(url, path, token))
    return yield* Effect.never
  }).pipe(Effect.scoped)

export const engineCommand = Command.make("engine", {
  port: CommonOptions.text("port", "number", "The port to listen on; 0 takes any free one (default 8123)"),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ data, json, port }) => {
  const overrides = { LOOM_ENGINE_PORT: port, LOOM_DATA: data }
  const options = CommonOptions.optionNames(overrides)
  return Effect.gen(function*() {
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    const settings = yield* Effect.mapError(config, (error) => startFailure(error, { options }))
    const folder = resolve(settings.data)
    return yield* serve(folder, settings.port, json).pipe(
      Effect.catchAll((error) =>
        Effect.flatMap(
          ServerFile.read(folder),
          (server) =>
            Effect.fail(startFailure(error, { port: settings.port, servedAt: Option.getOrUndefined(server)?.url }))
        )
      ),
      Effect.provide(Logging.layer(settings.logging))
    )
  }).pipe((program) => CommonOptions.withOverrides(program, overrides))
}).pipe(Command.withDescription("Serve the embedded ClickHouse engine to other processes of this machine"))
