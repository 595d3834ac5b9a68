/**
 * The whole write path on ClickHouse in this process, with what workers that derive read and write, the verbs that show it,
 * and fault points at which a test lets a worker crash.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Dispatch, make } from "../../services/gateway/Dispatch.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import * as ActorRules from "../../src/memory/ActorRules.ts"
import * as BeliefSourcesClickhouse from "../../src/memory/BeliefSourcesClickhouse.ts"
import * as CalibrationStore from "../../src/memory/CalibrationStore.ts"
import * as Committer from "../../src/memory/Committer.ts"
import * as ExpiringClickhouse from "../../src/memory/ExpiringClickhouse.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as LifecycleHandlers from "../../src/memory/LifecycleHandlers.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import * as MemoryIntake from "../../src/memory/MemoryIntake.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryReads from "../../src/memory/MemoryReads.ts"
import * as MemoryReviewClickhouse from "../../src/memory/MemoryReviewClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import * as MemoryUsageStoreClickhouse from "../../src/memory/MemoryUsageStoreClickhouse.ts"
import * as MemoryWrites from "../../src/memory/MemoryWrites.ts"
import * as NamedThingHandlers from "../../src/memory/NamedThingHandlers.ts"
import * as ReviewHandlers from "../../src/memory/ReviewHandlers.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import * as WritePolicy from "../../src/memory/WritePolicy.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as NamespaceHandlers from "../../src/namespace/NamespaceHandlers.ts"
import * as NamespaceStoreClickhouse from "../../src/namespace/NamespaceStoreClickhouse.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { layerTest as layerEmbedder } from "../../src/platform/EmbedderTest.ts"
import * as Tokens from "../../src/platform/Tokens.ts"
import * as DigestHandlers from "../../src/retrieval/DigestHandlers.ts"
import * as DigestLegClickhouse from "../../src/retrieval/DigestLegClickhouse.ts"
import * as DigestSessionsClickhouse from "../../src/retrieval/DigestSessionsClickhouse.ts"
import * as DigestStoreClickhouse from "../../src/retrieval/DigestStoreClickhouse.ts"
import * as GatePolicy from "../../src/retrieval/GatePolicy.ts"
import * as RankPolicy from "../../src/retrieval/RankPolicy.ts"
import * as Search from "../../src/retrieval/Search.ts"
import * as SearchHandlers from "../../src/retrieval/SearchHandlers.ts"
import * as SearchIndexClickhouse from "../../src/retrieval/SearchIndexClickhouse.ts"
import * as ChangeFeedClickhouse from "../../src/work/ChangeFeedClickhouse.ts"
import * as WorkerStoreClickhouse from "../../src/work/WorkerStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"

/** The point at which the next pass crashes; none when empty. What was passed is noted. */
export const crash: { at: string; readonly passed: Array<string> } = { at: "", passed: [] }

const layerFaults = Layer.succeed(FaultPoint, {
  hit: (point) =>
    Effect.suspend(() => {
      crash.passed.push(point)
      if (crash.at !== point) return Effect.void
      crash.at = ""
      return Effect.dieMessage(`crash at ${point}`)
    })
})

const layerDispatch = Layer.effect(
  Dispatch,
  Effect.map(
    Effect.all([
      MemoryWrites.make,
      MemoryReads.make,
      NamedThingHandlers.make,
      LifecycleHandlers.make,
      ReviewHandlers.make,
      SearchHandlers.make,
      DigestHandlers.make,
      NamespaceHandlers.make
    ]),
    (groups) => make(groups.flat())
  )
)

export const layer = layerDispatch.pipe(
  Layer.provideMerge(MemoryClient.layer),
  Layer.provideMerge(Layer.provide(MemoryEntity.layer(), Committer.layer)),
  Layer.provideMerge(Layer.merge(LocalSharding.layer, Fence.layerNone)),
  Layer.provideMerge(
    ActorRules.layer.pipe(
      Layer.provide([Thresholds.layer().pipe(Layer.provide(CalibrationStore.layerMemory)), BlacklistCache.layerNone])
    )
  ),
  Layer.provideMerge(
    Search.layer.pipe(
      Layer.provide([SearchIndexClickhouse.layer, DigestLegClickhouse.layer, RankPolicy.layer]),
      Layer.provideMerge(GatePolicy.layer)
    )
  ),
  Layer.provideMerge(Layer.mergeAll(MemoryIntake.layer, NamespaceCache.layer, Tokens.layer)),
  Layer.provideMerge(Layer.mergeAll(
    MemoryStoreClickhouse.layer,
    MemoryReaderClickhouse.layer,
    MemoryReviewClickhouse.layer,
    BeliefSourcesClickhouse.layer,
    MemoryUsageStoreClickhouse.layer,
    NamespaceStoreClickhouse.layer,
    DigestStoreClickhouse.layer,
    DigestSessionsClickhouse.layer,
    ExpiringClickhouse.layer,
    ChangeFeedClickhouse.layer,
    WorkerStoreClickhouse.layer,
    WritePolicy.layer,
    SensitivityPolicy.layerDetect,
    layerEmbedder,
    Cursors.layerMemory,
    layerFaults
  )),
  Layer.provideMerge(layerEngine)
)
