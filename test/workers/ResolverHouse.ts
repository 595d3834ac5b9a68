/**
 * The whole write path on ClickHouse in this process, with the feed that workers read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Dispatch, make } from "../../services/gateway/Dispatch.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import * as Consolidation from "../../src/consolidation/Consolidation.ts"
import * as ConsolidationHandlers from "../../src/consolidation/ConsolidationHandlers.ts"
import * as ConsolidationStoreClickhouse from "../../src/consolidation/ConsolidationStoreClickhouse.ts"
import * as ActorRules from "../../src/memory/ActorRules.ts"
import * as BeliefSourcesClickhouse from "../../src/memory/BeliefSourcesClickhouse.ts"
import * as CalibrationStore from "../../src/memory/CalibrationStore.ts"
import * as Committer from "../../src/memory/Committer.ts"
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
import * as ReviewHandlers from "../../src/memory/ReviewHandlers.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import * as WritePolicy from "../../src/memory/WritePolicy.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as NamespaceHandlers from "../../src/namespace/NamespaceHandlers.ts"
import * as NamespaceStoreClickhouse from "../../src/namespace/NamespaceStoreClickhouse.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { layerTest as layerEmbedder } from "../../src/platform/EmbedderTest.ts"
import * as LanguageModel from "../../src/platform/LanguageModel.ts"
import * as ChangeFeedClickhouse from "../../src/work/ChangeFeedClickhouse.ts"
import * as WorkerStoreClickhouse from "../../src/work/WorkerStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"

const layerDispatch = Layer.effect(
  Dispatch,
  Effect.map(
    Effect.all([
      MemoryWrites.make,
      MemoryReads.make,
      ReviewHandlers.make,
      LifecycleHandlers.make,
      NamespaceHandlers.make,
      ConsolidationHandlers.make
    ]),
    (groups) => make(groups.flat())
  )
)

/** With what a language model is, or is not. */
export const layerWith = <A>(model: Layer.Layer<A | LanguageModel.LanguageModel>) =>
  layerDispatch.pipe(
    Layer.provideMerge(Layer.provide(Consolidation.layer, ConsolidationStoreClickhouse.layer)),
    Layer.provideMerge(MemoryClient.layer),
    Layer.provideMerge(Layer.provide(MemoryEntity.layer(), Committer.layer)),
    Layer.provideMerge(Layer.merge(LocalSharding.layer, Fence.layerNone)),
    Layer.provideMerge(
      ActorRules.layer.pipe(
        Layer.provide(BlacklistCache.layerNone),
        Layer.provideMerge(Thresholds.layer().pipe(Layer.provide(CalibrationStore.layerMemory)))
      )
    ),
    Layer.provideMerge(Layer.merge(MemoryIntake.layer, NamespaceCache.layer)),
    Layer.provideMerge(Layer.mergeAll(
      MemoryStoreClickhouse.layer,
      MemoryReaderClickhouse.layer,
      MemoryReviewClickhouse.layer,
      BeliefSourcesClickhouse.layer,
      MemoryUsageStoreClickhouse.layer,
      NamespaceStoreClickhouse.layer,
      ChangeFeedClickhouse.layer,
      WorkerStoreClickhouse.layer,
      WritePolicy.layer,
      SensitivityPolicy.layerDetect,
      layerEmbedder,
      Cursors.layerMemory,
      model
    )),
    Layer.provideMerge(layerEngine)
  )

export const layer = layerWith(LanguageModel.layerNone)
