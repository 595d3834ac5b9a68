/**
 * The slices on one store: ports with their ClickHouse adapters, policies, the actor and its committer, and the table of
 * verbs. Serve, gateway and runner take from here what they host; a deployment that swaps a policy or an embedder
 * provides another layer beside these.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TokenCache from "../../src/access/TokenCache.ts"
import * as TokenHandlers from "../../src/access/TokenHandlers.ts"
import * as TokenStoreClickhouse from "../../src/access/TokenStoreClickhouse.ts"
import * as Ask from "../../src/ask/Ask.ts"
import * as AskHandlers from "../../src/ask/AskHandlers.ts"
import * as AskOptions from "../../src/ask/AskOptions.ts"
import * as EvidenceStoreClickhouse from "../../src/ask/EvidenceStoreClickhouse.ts"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import * as BlacklistHandlers from "../../src/blacklist/BlacklistHandlers.ts"
import * as BlacklistStoreClickhouse from "../../src/blacklist/BlacklistStoreClickhouse.ts"
import * as Consolidation from "../../src/consolidation/Consolidation.ts"
import * as ConsolidationHandlers from "../../src/consolidation/ConsolidationHandlers.ts"
import * as ConsolidationStoreClickhouse from "../../src/consolidation/ConsolidationStoreClickhouse.ts"
import * as ForFileClickhouse from "../../src/context/ForFileClickhouse.ts"
import * as ForFileHandlers from "../../src/context/ForFileHandlers.ts"
import * as ForFileOptions from "../../src/context/ForFileOptions.ts"
import * as PackClickhouse from "../../src/context/PackClickhouse.ts"
import * as PackHandlers from "../../src/context/PackHandlers.ts"
import * as WorkingMemory from "../../src/context/WorkingMemory.ts"
import * as ConversationHandlers from "../../src/conversation/ConversationHandlers.ts"
import * as EvidenceHandlers from "../../src/conversation/EvidenceHandlers.ts"
import * as TurnIntake from "../../src/conversation/TurnIntake.ts"
import * as TurnStoreClickhouse from "../../src/conversation/TurnStoreClickhouse.ts"
import * as ExtractionHandlers from "../../src/extraction/ExtractionHandlers.ts"
import * as ExtractionJobStoreClickhouse from "../../src/extraction/ExtractionJobStoreClickhouse.ts"
import * as SetFromMessages from "../../src/extraction/SetFromMessages.ts"
import * as ActorMetrics from "../../src/memory/ActorMetrics.ts"
import * as ActorRules from "../../src/memory/ActorRules.ts"
import * as BacklinkHandlers from "../../src/memory/BacklinkHandlers.ts"
import * as BacklinkStoreClickhouse from "../../src/memory/BacklinkStoreClickhouse.ts"
import * as BeliefSourcesClickhouse from "../../src/memory/BeliefSourcesClickhouse.ts"
import * as CalibrationHandlers from "../../src/memory/CalibrationHandlers.ts"
import * as CalibrationStoreClickhouse from "../../src/memory/CalibrationStoreClickhouse.ts"
import * as Committer from "../../src/memory/Committer.ts"
import * as ExpiringClickhouse from "../../src/memory/ExpiringClickhouse.ts"
import * as IndexLagPostgres from "../../src/memory/IndexLagPostgres.ts"
import * as LifecycleHandlers from "../../src/memory/LifecycleHandlers.ts"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import * as MemoryIntake from "../../src/memory/MemoryIntake.ts"
import * as MemoryPatternSweep from "../../src/memory/MemoryPatternSweep.ts"
import * as MemoryProjection from "../../src/memory/MemoryProjection.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryReads from "../../src/memory/MemoryReads.ts"
import * as MemoryReviewClickhouse from "../../src/memory/MemoryReviewClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import * as MemorySwitch from "../../src/memory/MemorySwitch.ts"
import * as MemoryTimeReads from "../../src/memory/MemoryTimeReads.ts"
import * as MemoryUsageStoreClickhouse from "../../src/memory/MemoryUsageStoreClickhouse.ts"
import * as MemoryWrites from "../../src/memory/MemoryWrites.ts"
import * as NamedThingHandlers from "../../src/memory/NamedThingHandlers.ts"
import * as OutboxPostgres from "../../src/memory/OutboxPostgres.ts"
import * as ProposalHandlers from "../../src/memory/ProposalHandlers.ts"
import * as ReadCache from "../../src/memory/ReadCache.ts"
import * as ReviewHandlers from "../../src/memory/ReviewHandlers.ts"
import * as ReviewQueueHandlers from "../../src/memory/ReviewQueueHandlers.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as SweepHandlers from "../../src/memory/SweepHandlers.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import * as UnembeddedClickhouse from "../../src/memory/UnembeddedClickhouse.ts"
import * as WritePolicy from "../../src/memory/WritePolicy.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as NamespaceHandlers from "../../src/namespace/NamespaceHandlers.ts"
import * as NamespaceStoreClickhouse from "../../src/namespace/NamespaceStoreClickhouse.ts"
import * as ModelHandlers from "../../src/ops/ModelHandlers.ts"
import * as OpsHandlers from "../../src/ops/OpsHandlers.ts"
import * as CursorKeysClickhouse from "../../src/platform/CursorKeysClickhouse.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as LanguageModelAnswers from "../../src/platform/LanguageModelAnswers.ts"
import * as LanguageModelBudget from "../../src/platform/LanguageModelBudget.ts"
import * as LanguageModelMetrics from "../../src/platform/LanguageModelMetrics.ts"
import * as ModelAnswerStoreClickhouse from "../../src/platform/ModelAnswerStoreClickhouse.ts"
import * as ModelTerms from "../../src/platform/ModelTerms.ts"
import * as ModelUsageStoreClickhouse from "../../src/platform/ModelUsageStoreClickhouse.ts"
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
import * as TurnHandlers from "../../src/retrieval/TurnHandlers.ts"
import * as OutcomeHandlers from "../../src/run/OutcomeHandlers.ts"
import * as RunHandlers from "../../src/run/RunHandlers.ts"
import * as RunStoreClickhouse from "../../src/run/RunStoreClickhouse.ts"
import * as UseStoreClickhouse from "../../src/run/UseStoreClickhouse.ts"
import * as ChangeFeedClickhouse from "../../src/work/ChangeFeedClickhouse.ts"
import * as WorkerStoreClickhouse from "../../src/work/WorkerStoreClickhouse.ts"
import { Dispatch, make as makeDispatch } from "../gateway/Dispatch.ts"
import * as Extracting from "./Extracting.ts"
import * as ReviewQueue from "./ReviewQueue.ts"
import type { ActorSettings } from "./Settings.ts"
import * as Workers from "./Workers.ts"

/** The stores of memory, on ClickHouse. */
export const layerMemory = Layer.mergeAll(
  MemoryStoreClickhouse.layer,
  MemoryReaderClickhouse.layer,
  MemoryReviewClickhouse.layer
)

/** The same where there is a Postgres too, with what tells how far the copy in ClickHouse is behind. */
export const layerMemoryOfBoth = MemorySwitch.layer.pipe(
  Layer.provide([MemoryReaderClickhouse.layer, MemoryReviewClickhouse.layer]),
  Layer.provideMerge(IndexLagPostgres.layer),
  Layer.provideMerge(OutboxPostgres.layer),
  Layer.provide(MemoryProjection.layerClickhouse)
)

/** Every other store of the slices, on ClickHouse under either authority. */
export const layerOthers = Layer.mergeAll(
  BeliefSourcesClickhouse.layer,
  BacklinkStoreClickhouse.layer,
  TurnStoreClickhouse.layer,
  ExtractionJobStoreClickhouse.layer,
  NamespaceStoreClickhouse.layer,
  BlacklistStoreClickhouse.layer,
  TokenStoreClickhouse.layer,
  DigestStoreClickhouse.layer,
  DigestSessionsClickhouse.layer,
  ExpiringClickhouse.layer,
  CalibrationStoreClickhouse.layer,
  UnembeddedClickhouse.layer,
  MemoryUsageStoreClickhouse.layer,
  RunStoreClickhouse.layer,
  UseStoreClickhouse.layer,
  WorkerStoreClickhouse.layer,
  ChangeFeedClickhouse.layer,
  ModelUsageStoreClickhouse.layer,
  ModelTerms.layerConfig,
  Layer.provide(Cursors.layer, CursorKeysClickhouse.layer)
)

/** Every store of the slices, on ClickHouse. */
export const layerStores = Layer.merge(layerMemory, layerOthers)

/**
 * Keeps hot answers of `memory.get` in this process, up to so many bytes; 0 keeps none. Only over stores that no other
 * process writes.
 */
export const layerReadCache = (maxBytes: number) =>
  Layer.mergeAll(ReadCache.layerStore, ReadCache.layerReader, ReadCache.layerReview).pipe(
    Layer.provideMerge(ReadCache.layer(maxBytes))
  )

/** The decisions a deployment may replace. */
export const layerPolicies = Layer.mergeAll(
  WritePolicy.layer,
  SensitivityPolicy.layerConfig,
  RankPolicy.layerConfig,
  GatePolicy.layerConfig
)

/**
 * What edges and actors of one process share: the preparing of values, the patterns and registrations as this process
 * knows them, and the cosines of its embedder.
 */
export const layerGround = (thresholds: Thresholds.Options, registrations = NamespaceCache.layer) =>
  Layer.mergeAll(MemoryIntake.layer, BlacklistCache.layer, registrations, Thresholds.layer(thresholds))

/** How rows that are stored already meet a new pattern. */
export const layerSweep = MemoryPatternSweep.layer

/** What a block of `memory.for_file` may hold. */
export const layerForFile = ForFileOptions.layer

/** What an answer of `memory.ask` may rest on. */
export const layerAsk = AskOptions.layer

/** Tokens as this process knows them. */
export const layerTokens = TokenCache.layer

/**
 * What stands around any language model: kept answers are given first and cost nothing, then the budget decides, and every
 * call that is made is booked and counted.
 */
export const layerModel = LanguageModelAnswers.layer.pipe(
  Layer.provide(LanguageModelBudget.layer),
  Layer.provide(LanguageModelMetrics.layer),
  Layer.provide([ModelAnswerStoreClickhouse.layer, ModelUsageStoreClickhouse.layer, ModelTerms.layerConfig])
)

/** What hosts the actors needs: the entity, its committer and its rules, over a fence. */
export const layerActors = (options: MemoryEntity.Options = MemoryEntity.defaultOptions) =>
  Layer.merge(MemoryEntity.layer(options), ActorMetrics.layer).pipe(Layer.provide([Committer.layer, ActorRules.layer]))

/** The actors' options by the settings of the process. */
export const actorOptions = (settings: ActorSettings): MemoryEntity.Options => ({
  ...MemoryEntity.defaultOptions,
  mailboxCapacity: settings.mailboxCapacity,
  stateBytes: settings.actorBytes,
  maxIdleMillis: Duration.toMillis(settings.actorIdle),
  bulkDedup: settings.bulkDedup,
  bounds: { ...MemoryEntity.defaultOptions.bounds, maxHeads: settings.maxHeads }
})

/** Loads the embedder's model before the first caller needs it; a failure shows at the first use. */
export const layerWarm = Layer.scopedDiscard(
  Effect.flatMap(Embedder, (embedder) => Effect.forkScoped(Effect.ignoreLogged(embedder.embedQuery("warm up"))))
)

/** What merges fragments, on the stores of the slices. */
export const layerConsolidation = Layer.provide(Consolidation.layer, ConsolidationStoreClickhouse.layer)

/** All verbs of this server, on whichever way to the actors there is. */
export const layerDispatch = Layer.effect(
  Dispatch,
  Effect.map(
    Effect.all([
      MemoryWrites.make,
      MemoryReads.make,
      MemoryTimeReads.make,
      NamedThingHandlers.make,
      LifecycleHandlers.make,
      SweepHandlers.make,
      ProposalHandlers.make,
      ReviewHandlers.make,
      BacklinkHandlers.make,
      ConversationHandlers.make,
      EvidenceHandlers.make,
      TurnHandlers.make,
      ReviewQueueHandlers.make,
      RunHandlers.make,
      OutcomeHandlers.make,
      SearchHandlers.make,
      DigestHandlers.make,
      AskHandlers.make,
      SetFromMessages.make,
      ExtractionHandlers.make,
      ForFileHandlers.make,
      PackHandlers.make,
      CalibrationHandlers.make,
      ConsolidationHandlers.make,
      NamespaceHandlers.make,
      BlacklistHandlers.make,
      TokenHandlers.make,
      OpsHandlers.make,
      ModelHandlers.make
    ]),
    (groups) => makeDispatch(groups.flat())
  )
).pipe(
  Layer.provide([layerSweep, Extracting.layer]),
  Layer.provide(Ask.layer.pipe(
    Layer.provideMerge(Search.layer.pipe(Layer.provide([SearchIndexClickhouse.layer, DigestLegClickhouse.layer]))),
    Layer.provide(EvidenceStoreClickhouse.layer)
  )),
  Layer.provide([
    ForFileClickhouse.layer,
    PackClickhouse.layer,
    WorkingMemory.layerEmpty,
    Tokens.layer,
    TurnIntake.layer,
    layerConsolidation,
    Workers.layerOps,
    ReviewQueue.layer
  ])
)
