/**
 * The house of `loom serve` in this process, on a data folder of its own and with replayed vectors: the same slices, actor,
 * committer and edges. What is committed can be watched, so that a bench can give the raw engine the very same rows.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { Scope } from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Health from "../../services/gateway/Health.ts"
import * as Http from "../../services/gateway/Http.ts"
import * as Rpc from "../../services/gateway/Rpc.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as Slices from "../../services/layers/Slices.ts"
import * as Authenticator from "../../src/access/Authenticator.ts"
import * as RootToken from "../../src/access/RootToken.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Commit } from "../../src/memory/MemoryStore.ts"
import * as ReadCache from "../../src/memory/ReadCache.ts"
import * as Thresholds from "../../src/memory/ThresholdModel.ts"
import * as ClusterLookLocal from "../../src/ops/ClusterLookLocal.ts"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import type { Embedder } from "../../src/platform/Embedder.ts"
import * as LanguageModel from "../../src/platform/LanguageModel.ts"

/** Takes the commits that the house makes while it is told to. */
export class Watch extends Context.Tag("loom/bench/support/House/Watch")<Watch, {
  /** Runs an effect and hands over every commit that was made meanwhile, in order. */
  readonly commits: <A, E, R>(
    during: Effect.Effect<A, E, R>
  ) => Effect.Effect<readonly [value: A, commits: ReadonlyArray<Commit>], E, R>
  /** The store without the watch, for the raw side. */
  readonly store: MemoryStore["Type"]
}>() {}

const layerWatched = Layer.effectContext(Effect.gen(function*() {
  const store = yield* MemoryStore
  let seen: Array<Commit> | null = null
  const watched = MemoryStore.of({
    ...store,
    commit: (commit) =>
      Effect.tap(store.commit(commit), () =>
        Effect.sync(() => {
          seen?.push(commit)
        }))
  })
  const watch = Watch.of({
    store,
    commits: (during) =>
      Effect.suspend(() => {
        const commits: Array<Commit> = []
        seen = commits
        return Effect.ensuring(
          Effect.map(during, (value) => [value, commits] as const),
          Effect.sync(() => {
            seen = null
          })
        )
      })
  })
  return Context.make(MemoryStore, watched).pipe(Context.add(Watch, watch))
}))

const layerMigrated = Layer.effectDiscard(Effect.flatMap(ClickhouseMigrations.load(), ClickhouseMigrator.run))

// Progress is the bench's own to tell.
const layerQuiet = Logger.minimumLogLevel(LogLevel.Warning)

/** On this folder, with this embedder; without a language model unless one is given. */
export const layer = (
  data: string,
  embedder: Layer.Layer<Embedder>,
  model: Layer.Layer<LanguageModel.LanguageModel> = LanguageModel.layerNone
) =>
  Http.layerHttp({ host: "127.0.0.1", port: 0, version: "bench" }, Rpc.layerRoutes).pipe(
    Layer.provideMerge(Layer.merge(Slices.layerDispatch, Authenticator.layerSingleUser)),
    Layer.provideMerge(
      Layer.mergeAll(MemoryClient.layer, Health.layerClickhouse, ClusterLookLocal.layer("bench"))
    ),
    Layer.provideMerge(Slices.layerActors()),
    Layer.provideMerge(Layer.merge(LocalSharding.layer, Fence.layerNone)),
    Layer.provideMerge(Layer.mergeAll(
      Slices.layerTokens,
      Slices.layerAsk(),
      Slices.layerForFile(),
      // Measuring takes texts that replayed vectors do not know.
      Slices.layerGround({ ...Thresholds.defaultOptions, adaptive: false })
    )),
    Layer.provideMerge(Slices.layerReadCache(ReadCache.DEFAULT_BYTES)),
    Layer.provideMerge(layerWatched),
    Layer.provideMerge(
      Layer.mergeAll(Slices.layerStores, Slices.layerPolicies, embedder, model)
    ),
    Layer.provideMerge(RootToken.layerFile(join(data, "root.token"))),
    Layer.provideMerge(layerMigrated),
    Layer.provideMerge(Clickhouse.layerEmbedded({ path: join(data, "clickhouse") })),
    Layer.provideMerge(layerQuiet)
  )

/** The given folder, which stays, or one of its own, which goes when the scope ends. */
export const dataFolder = (given: string | undefined): Effect.Effect<string, never, Scope> =>
  given !== undefined ? Effect.succeed(given) : Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
