/**
 * `loom migrate`: brings the configured store to the schema of this build, or with `--check` only says what is missing
 * (and then ends with 1, so that a script can ask).
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Logging from "./Logging.ts"
import * as Output from "./Output.ts"
import * as ServerFile from "./ServerFile.ts"
import { startFailure } from "./StartFailure.ts"

const config = Config.all({ data: CliSettings.data, url: CliSettings.clickhouseUrl, logging: Logging.config })

const migrate = (check: boolean, asJson: boolean) =>
  Effect.gen(function*() {
    const known = yield* ClickhouseMigrations.load()
    const found = yield* check ? ClickhouseMigrator.pending(known) : ClickhouseMigrator.run(known)
    const names = found.map(ClickhouseMigrations.fileName)
    const current = !check || names.length === 0
    if (!current) {
      const message = `The store lacks ${names.join(", ")}: run \`loom migrate\``
      return yield* cliFailure("failed", "SCHEMA_OUTDATED", message, { pending: names })
    }
    return yield* Output.result(asJson, { current, ran: names, schema: known.length }, () => [
      names.length === 0
        ? `The store has the schema of this build (${known.length} migrations)`
        : `Ran ${names.join(", ")}`
    ])
  })

export const migrateCommand = Command.make("migrate", {
  check: Options.boolean("check").pipe(
    Options.withDescription("Only say what is pending; the exit code is 1 if anything is")
  ),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ check, data, json }) =>
  Effect.gen(function*() {
    const settings = yield* Effect.mapError(config, (error) => startFailure(error))
    return yield* migrate(check, json).pipe(
      Effect.provide(Clickhouse.layerConfig),
      (run) =>
        Option.isSome(settings.url) ? run : Effect.zipRight(FolderOwner.refuseIfServed(resolve(settings.data)), run),
      Effect.catchAll((error) =>
        error._tag === "CliFailure"
          ? Effect.fail(error)
          : Effect.flatMap(
            ServerFile.read(resolve(settings.data)),
            (server) => Effect.fail(startFailure(error, { servedAt: Option.getOrUndefined(server)?.url }))
          )
      ),
      Effect.provide(Logging.layer(settings.logging))
    )
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Bring the store to the schema of this build")
  )
