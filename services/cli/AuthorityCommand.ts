/**
 * `loom authority migrate`: moves memory under the other authority, beside a cluster that writes or while nothing runs. Without
 * `--apply` it only says what there is to move.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import { actorId } from "../../src/kernel/Identity.ts"
import type { Authority } from "../../src/memory/AuthorityModel.ts"
import * as AuthorityMove from "../../src/memory/AuthorityMove.ts"
import * as AuthorityStart from "../../src/memory/AuthorityStart.ts"
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

const layerStores = MemoryStorePostgres.layer().pipe(
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

const migrate = (to: Authority, apply: boolean, asJson: boolean) =>
  Effect.gen(function*() {
    yield* current
    const { authority: from } = yield* AuthorityStart.current
    if (from === to) {
      return yield* Output.result(asJson, { from, to, moved: false }, () => [`The stores are under ${to} already`])
    }
    const planned = yield* AuthorityMove.plan(from)
    const total = planned.reduce((sum, { rows }) => sum + rows, 0)
    const facts = { from, to, namespaces: planned.length, memories: total }
    if (!apply) {
      return yield* Output.result(asJson, { ...facts, moved: false }, () => [
        `${planned.length} namespaces with ${total} memories would move from ${from} to ${to}`,
        "Run it again with --apply; runners and gateways may go on, a serve without Postgres must be stopped first"
      ])
    }
    const bar = yield* ProgressBar.make({ label: "authority", total, before: 0 })
    const compared = new Set<string>()
    const { moved, paused } = yield* AuthorityMove.move(from, to, {
      // Once for each namespace, however often it was written to meanwhile.
      moved: ({ rows, scope }) =>
        Effect.suspend(() => {
          const isFirst = !compared.has(actorId(scope))
          compared.add(actorId(scope))
          return isFirst ? bar.advance(rows) : Effect.void
        }),
      closed: Effect.logInfo("Writes are refused until the last of it is moved")
    })
    yield* bar.end
    yield* Output.result(
      asJson,
      {
        ...facts,
        moved: true,
        paused_ms: paused,
        hashes: moved.map(({ rows, scope, sha256 }) => ({ ...scope, rows, sha256 }))
      },
      () => [
        `${moved.length} namespaces are the same in both stores, compared by hashes; ${to} says from now on what is so`,
        `Writes were refused for ${paused} ms; runners and gateways that are up have followed`,
        `From here on start every process with LOOM_AUTHORITY=${to}`
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
            error._tag === "MoveDiffers"
              ? cliFailure("failed", "DIFFERS", error.message, { org: error.org, namespace: error.namespace })
              : error._tag === "MoveStopped"
              ? cliFailure(error.reason === "busy" ? "inUse" : "failed", "STOPPED", error.message, {})
              : startFailure(error)
          )
        ),
        Effect.provide(Logging.layer(settings.logging))
      )
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Move memory under another authority beside running processes, compared by hashes")
  )

export const authorityCommand = Command.make("authority").pipe(
  Command.withDescription("Which store says what is so of memory"),
  Command.withSubcommands([migrateCommand])
)
