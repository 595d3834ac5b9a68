/**
 * `loom serve`: everything in one process. Opens the store, migrates it, repairs what a crash left behind, then serves.
 * The layers are stacked so that the process ends in the reverse order: the edges stop taking, the actors finish, the
 * engine closes.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as Authenticator from "../../src/access/Authenticator.ts"
import * as RootToken from "../../src/access/RootToken.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"
import * as LanguageModel from "../../src/platform/LanguageModel.ts"
import * as LanguageModelConfig from "../../src/platform/LanguageModelConfig.ts"
import * as Health from "../gateway/Health.ts"
import * as Http from "../gateway/Http.ts"
import * as Mcp from "../gateway/Mcp.ts"
import * as Rpc from "../gateway/Rpc.ts"
import * as LocalSharding from "../layers/LocalSharding.ts"
import * as Settings from "../layers/Settings.ts"
import type { ServeSettings } from "../layers/Settings.ts"
import * as Slices from "../layers/Slices.ts"
import * as FaultPoints from "./FaultPoints.ts"

/** Brings the schema up to date before anything reads it. */
const layerMigrated = Layer.effectDiscard(Effect.gen(function*() {
  const ran = yield* ClickhouseMigrator.run(yield* ClickhouseMigrations.load())
  if (ran.length > 0) {
    yield* Effect.logInfo("Migrated the store").pipe(Effect.annotateLogs({ migrations: ran.length }))
  }
}))

// A start must be quick on a large store; what is not repaired by then goes on in the background, and each namespace is
// repaired before its first write in any case.
const REPAIR_BEFORE_LISTENING = "3 seconds"

/** Activates the actor of every namespace once, so that what a crash left behind is repaired without a write. */
const layerRepaired = Layer.scopedDiscard(Effect.gen(function*() {
  const store = yield* MemoryStore
  const client = yield* MemoryClient.MemoryClient
  const began = yield* Clock.currentTimeMillis
  const scopes = yield* store.scopes
  const repair = Effect.forEach(
    scopes,
    (scope) => Effect.ignoreLogged(client.activate(scope)),
    { concurrency: 4, discard: true }
  )
  const fiber = yield* Effect.forkScoped(repair)
  yield* Effect.timeoutOption(Effect.disconnect(fiber.await), REPAIR_BEFORE_LISTENING)
  const ended = yield* Clock.currentTimeMillis
  yield* Effect.logInfo("Looked after the namespaces").pipe(
    Effect.annotateLogs({ namespaces: scopes.length, millis: ended - began })
  )
}))

/** Loads the embedder's model before the first caller needs it; a failure shows at the first use. */
const layerWarm = Layer.scopedDiscard(
  Effect.flatMap(Embedder, (embedder) => Effect.forkScoped(Effect.ignoreLogged(embedder.embedQuery("warm up"))))
)

const actorOptions = (settings: ServeSettings): MemoryEntity.Options => ({
  ...MemoryEntity.defaultOptions,
  mailboxCapacity: settings.mailboxCapacity,
  bulkDedup: settings.bulkDedup,
  bounds: { ...MemoryEntity.defaultOptions.bounds, maxHeads: settings.maxHeads }
})

/** The parts of the server that a deployment may replace; each default is what `loom serve` runs. */
export interface Parts<E = never, EM = never> {
  /** The version that `GET /v1/verbs` and OpenAPI tell. */
  readonly version: string
  readonly embedder: Layer.Layer<Embedder, E>
  /** None unless given. */
  readonly languageModel?: Layer.Layer<LanguageModel.LanguageModel, EM>
  readonly policies?: typeof Slices.layerPolicies
}

/** The whole server for these settings, of the given parts; it lives as long as the layer. */
export const layerWith = <E, EM = never>(
  settings: ServeSettings,
  { embedder, languageModel = LanguageModel.layerNone, policies = Slices.layerPolicies, version }: Parts<E, EM>
) => {
  const edges = Http.layerHttp(
    { host: settings.host, port: settings.port, version },
    Layer.merge(Rpc.layerRoutes, Mcp.layerRoutes(version))
  )
  const access = settings.mode === "team" ? Authenticator.layerTeam : Authenticator.layerSingleUser
  return edges.pipe(
    Layer.provideMerge(Layer.mergeAll(Slices.layerDispatch, access, Health.layerClickhouse)),
    Layer.provideMerge(Layer.merge(layerRepaired, layerWarm)),
    Layer.provideMerge(MemoryClient.layer),
    Layer.provideMerge(Slices.layerActors(actorOptions(settings))),
    Layer.provideMerge(Layer.merge(LocalSharding.layer, Fence.layerNone)),
    Layer.provideMerge(
      Layer.mergeAll(
        Slices.layerTokens,
        Slices.layerIntake,
        Slices.layerBlacklist,
        Slices.layerNamespaces,
        Slices.layerAsk(settings.ask),
        Slices.layerForFile(settings.forFile),
        Slices.layerThresholds(settings.thresholds)
      )
    ),
    // An embedded store is locked by this process, a server's is promised to it; else nobody may keep what was read.
    Layer.provideMerge(Slices.layerReadCache(!settings.url || settings.soleWriter ? settings.readCacheBytes : 0)),
    Layer.provideMerge(Layer.mergeAll(Slices.layerStores, policies, embedder, languageModel)),
    Layer.provideMerge(RootToken.layerFile(join(settings.data, "root.token"))),
    Layer.provideMerge(layerMigrated),
    Layer.provideMerge(Clickhouse.layerConfig)
  )
}

/** `loom serve`: the embedder and the language model are the configured ones. */
export const layer = (settings: ServeSettings, version: string) =>
  layerWith(settings, {
    version,
    embedder: Layer.provide(EmbedderConfig.layerConfig, FetchHttpClient.layer),
    languageModel: Layer.provide(LanguageModelConfig.layerConfig, FetchHttpClient.layer)
  }).pipe(
    // Under everything, since a fiber takes its fault points from where it was started.
    Layer.provide(FaultPoints.layerConfig)
  )

/** Where the server listens. */
export const address = Effect.map(HttpServer.HttpServer, (server) => HttpServer.formatAddress(server.address))

export const settings = Settings.serve
