/**
 * `loom migrate`: brings the configured stores to the schema of this build, ClickHouse first, then Postgres where one is
 * set; or with `--check` only says what is missing (and then ends with 1, so that a script can ask).
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { fileName, type Migration } from "../../src/platform/Migrations.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Logging from "./Logging.ts"
import * as Output from "./Output.ts"
import * as ServerFile from "./ServerFile.ts"
import { startFailure } from "./StartFailure.ts"

const config = Config.all({
  data: CliSettings.data,
  url: CliSettings.clickhouseUrl,
  postgres: Config.option(Postgres.config),
  logging: Logging.config
})

/** What a store lacked: with `--check` it still does, else it was run. */
interface Report {
  readonly store: "ClickHouse" | "Postgres"
  readonly names: ReadonlyArray<string>
  readonly known: number
}

const report = (store: Report["store"], found: ReadonlyArray<Migration>, known: ReadonlyArray<Migration>): Report => ({
  store,
  names: found.map(fileName),
  known: known.length
})

const clickhouse = (check: boolean) =>
  Effect.gen(function*() {
    const known = yield* ClickhouseMigrations.load()
    const found = yield* check ? ClickhouseMigrator.pending(known) : ClickhouseMigrator.run(known)
    return report("ClickHouse", found, known)
  }).pipe(Effect.provide(Clickhouse.layerConfig))

// Told by their name among the files: the cluster's library makes them.
const CLUSTER_TABLES = "the tables of the cluster"

const postgres = (check: boolean) =>
  Effect.gen(function*() {
    const known = yield* PostgresMigrations.load()
    const found = yield* check ? PostgresMigrator.pending(known) : PostgresMigrator.run(known)
    const cluster = yield* check ? Effect.map(PostgresCluster.present, (there) => !there) : PostgresCluster.create
    const { names, ...rest } = report("Postgres", found, known)
    return { ...rest, names: cluster ? [...names, CLUSTER_TABLES] : names }
  }).pipe(
    // A migration takes as long as it takes.
    Effect.provide(Postgres.layerConfig({ applicationName: "loom migrate", statementTimeout: Duration.infinity }))
  )

const words = ({ known, names, store }: Report, alone: boolean): string => {
  const place = alone ? "The store" : store
  if (names.length === 0) return `${place} has the schema of this build (${known} migrations)`
  return alone ? `Ran ${names.join(", ")}` : `${place}: ran ${names.join(", ")}`
}

const conclude = (check: boolean, asJson: boolean, [first, ...more]: readonly [Report, ...ReadonlyArray<Report>]) => {
  const all = [first, ...more]
  const lacking = all.filter(({ names }) => names.length > 0)
  const second = more[0]
  const facts = second === undefined ? {} : { postgres: { ran: second.names, schema: second.known } }
  if (!check || lacking.length === 0) {
    return Output.result(
      asJson,
      { current: true, ran: first.names, schema: first.known, ...facts },
      () => all.map((one) => words(one, more.length === 0))
    )
  }
  const told = lacking.map(({ names, store }) => `${more.length === 0 ? "The store" : store} lacks ${names.join(", ")}`)
  const pending = { pending: first.names, ...(second === undefined ? {} : { postgres: { pending: second.names } }) }
  return Effect.fail(cliFailure("failed", "SCHEMA_OUTDATED", `${told.join("; ")}: run \`loom migrate\``, pending))
}

export const migrateCommand = Command.make("migrate", {
  check: Options.boolean("check").pipe(
    Options.withDescription("Only say what is pending; the exit code is 1 if anything is")
  ),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ check, data, json }) =>
  Effect.gen(function*() {
    const settings = yield* Effect.mapError(config, (error) => startFailure(error))
    const run = Effect.gen(function*() {
      const first = yield* clickhouse(check)
      const more = Option.isSome(settings.postgres) ? [yield* postgres(check)] : []
      return yield* conclude(check, json, [first, ...more])
    })
    return yield* run.pipe(
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
    Command.withDescription("Bring the stores to the schema of this build")
  )
