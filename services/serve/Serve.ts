/**
 * `loom serve`: everything in one process. Opens the store, migrates it, repairs what a crash left behind, then serves.
 * The layers are stacked so that the process ends in the reverse order: the edges stop taking, the actors finish, the
 * engine closes.
 */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as RootToken from "../../src/access/RootToken.ts"
import * as FenceMetrics from "../../src/memory/FenceMetrics.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as ClusterLookLocal from "../../src/ops/ClusterLookLocal.ts"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import * as Edges from "../gateway/Edges.ts"
import * as Authorities from "../layers/Authorities.ts"
import * as LocalSharding from "../layers/LocalSharding.ts"
import * as Parts from "../layers/Parts.ts"
import * as Settings from "../layers/Settings.ts"
import type { ServeSettings } from "../layers/Settings.ts"
import * as Slices from "../layers/Slices.ts"
import * as Workers from "../layers/Workers.ts"
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

/** The whole server for these settings, of the given parts; it lives as long as the layer. */
export const layerWith = <E, EM = never>(settings: ServeSettings, parts: Parts.Parts<E, EM>) =>
  Edges.layer(settings, parts.version).pipe(
    Layer.provideMerge(Layer.mergeAll(layerRepaired, Slices.layerWarm, Workers.layer(settings.workers, "process"))),
    Layer.provideMerge(Layer.merge(MemoryClient.layer, ClusterLookLocal.layer(parts.version))),
    Layer.provideMerge(Slices.layerActors(Slices.actorOptions(settings))),
    Layer.provideMerge(LocalSharding.layer),
    Layer.provideMerge(Slices.layerGround(settings.thresholds)),
    // An embedded store is locked by this process, a server's is promised to it; else nobody may keep what was read.
    Layer.provideMerge(Slices.layerReadCache(!settings.url || settings.soleWriter ? settings.readCacheBytes : 0)),
    Layer.provideMerge(Parts.layer(parts)),
    Layer.provideMerge(FenceMetrics.layer),
    Layer.provideMerge(Authorities.layerServe(settings.authority)),
    Layer.provideMerge(RootToken.layerFile(join(settings.data, "root.token"))),
    Layer.provideMerge(layerMigrated),
    Layer.provideMerge(Clickhouse.layerConfig)
  )

/** `loom serve`: the embedder and the language model are the configured ones. */
export const layer = (settings: ServeSettings, version: string) =>
  layerWith(settings, Parts.configured(version)).pipe(
    // Under everything, since a fiber takes its fault points from where it was started.
    Layer.provide(FaultPoints.layerConfig)
  )

/** Where the server listens. */
export const address = Effect.map(HttpServer.HttpServer, (server) => HttpServer.formatAddress(server.address))

export const settings = Settings.serve
