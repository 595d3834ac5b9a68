/**
 * `loom authority migrate`: moves memory under the other authority while nothing else runs. Without `--apply` it only says
 * what there is to move.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import * as AuthorityClickhouse from "../../src/memory/AuthorityClickhouse.ts"
import type { Authority } from "../../src/memory/AuthorityModel.ts"
import * as AuthorityMove from "../../src/memory/AuthorityMove.ts"
import * as AuthorityPostgres from "../../src/memory/AuthorityPostgres.ts"
import * as FencePostgres from "../../src/memory/FencePostgres.ts"
import * as MemoryProjection from "../../src/memory/MemoryProjection.ts"
import * as MemoryStorePostgres from "../../src/memory/MemoryStorePostgres.ts"
import * as OutboxPostgres from "../../src/memory/OutboxPostgres.ts"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as FolderOwner from "./FolderOwner.ts"
import * as Logging from "./Logging.ts"
import * as Output from "./Output.ts"
import * as ProgressBar from "./ProgressBar.ts"
import { startFailure } from "./StartFailure.ts"

const config = Config.all({ data: CliSettings.data, url: CliSettings.clickhouseUrl, logging: Logging.config })

const layerStores = Layer.merge(MemoryStorePostgres.layer(), FencePostgres.layer).pipe(
  Layer.provideMerge(OutboxPostgres.layer),
  Layer.provideMerge(MemoryProjection.layerClickhouse),
  // A namespace is read and written as a whole.
  Layer.provideMerge(
    Postgres.layerConfig({ applicationName: "loom authority", statementTimeout: Duration.minutes(10) })
  ),
  Layer.provideMerge(Clickhouse.layerConfig)
)

const current = Effect.gen(function*() {
  yield* ClickhouseMigrator.requireCurrent(yield* ClickhouseMigrations.load())
  yield* PostgresMigrator.requireCurrent(yield* PostgresMigrations.load())
})

const running = (runners: ReadonlyArray<string>) =>
  cliFailure(
    "inUse",
    "RUNNERS",
    `Runners are up (${runners.join(", ")}): stop runners and gateways first, and start them again afterwards`,
    { runners }
  )

const migrate = (to: Authority, apply: boolean, asJson: boolean) =>
  Effect.gen(function*() {
    yield* current
    const from = (yield* AuthorityClickhouse.decided) ?? "clickhouse"
    if (from === to) {
      return yield* Output.result(asJson, { from, to, moved: false }, () => [`The stores are under ${to} already`])
    }
    const planned = yield* AuthorityMove.plan
    const total = planned.reduce((sum, { rows }) => sum + rows, 0)
    const facts = { from, to, namespaces: planned.length, memories: total }
    if (!apply) {
      return yield* Output.result(asJson, { ...facts, moved: false }, () => [
        `${planned.length} namespaces with ${total} memories would move from ${from} to ${to}`,
        "Stop every other process on these stores and run it again with --apply"
      ])
    }
    const runners = yield* AuthorityPostgres.runners
    if (runners.length > 0) return yield* running(runners)
    const bar = yield* ProgressBar.make({ label: "authority", total, before: 0 })
    const moved = yield* AuthorityMove.move(to, ({ rows }) => bar.advance(rows))
    yield* bar.end
    yield* Output.result(
      asJson,
      {
        ...facts,
        moved: true,
        hashes: moved.map(({ rows, scope, sha256 }) => ({ ...scope, rows, sha256 }))
      },
      () => [
        `${moved.length} namespaces are the same in both stores, compared by hashes; ${to} says from now on what is so`,
        `Start every process with LOOM_AUTHORITY=${to}`
      ]
    )
  })

const migrateCommand = Command.make("migrate", {
  to: Options.choice("to", ["clickhouse", "postgres"]).pipe(
    Options.withDescription("The store that is to say what is so")
  ),
  apply: Options.boolean("apply").pipe(Options.withDescription("Do it; without it only say what would be done")),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ apply, data, json, to }) =>
  Effect.gen(function*() {
    const settings = yield* Effect.mapError(config, (error) => startFailure(error))
    const run = Effect.provide(migrate(to, apply, json), layerStores)
    return yield* (Option.isSome(settings.url)
      ? run
      : Effect.zipRight(FolderOwner.refuseIfServed(resolve(settings.data)), run)).pipe(
        Effect.catchAll((error) =>
          Effect.fail(
            error._tag === "CliFailure"
              ? error
              : error._tag === "MoveDiffers"
              ? cliFailure("failed", "DIFFERS", error.message, { org: error.org, namespace: error.namespace })
              : startFailure(error)
          )
        ),
        Effect.provide(Logging.layer(settings.logging))
      )
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Move memory under another authority, compared by hashes; nothing else may run meanwhile")
  )

export const authorityCommand = Command.make("authority").pipe(
  Command.withDescription("Which store says what is so of memory"),
  Command.withSubcommands([migrateCommand])
)
