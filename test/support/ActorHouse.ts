/**
 * The write path of one process on the in-process store: actor, committer, policies and a client, with scripted faults.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Dispatch, make } from "../../services/gateway/Dispatch.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import * as ActorRules from "../../src/memory/ActorRules.ts"
import { layerMemory as layerBeliefs } from "../../src/memory/BeliefSources.ts"
import * as CalibrationStore from "../../src/memory/CalibrationStore.ts"
import * as Committer from "../../src/memory/Committer.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as LifecycleHandlers from "../../src/memory/LifecycleHandlers.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import * as MemoryIntake from "../../src/memory/MemoryIntake.ts"
import * as MemoryReads from "../../src/memory/MemoryReads.ts"
import * as MemoryStoreMemory from "../../src/memory/MemoryStoreMemory.ts"
import * as MemoryUsageStore from "../../src/memory/MemoryUsageStore.ts"
import * as MemoryWrites from "../../src/memory/MemoryWrites.ts"
import * as ProposalHandlers from "../../src/memory/ProposalHandlers.ts"
import * as ReviewHandlers from "../../src/memory/ReviewHandlers.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import * as SweepHandlers from "../../src/memory/SweepHandlers.ts"
import * as Thresholds from "../../src/memory/Thresholds.ts"
import * as WritePolicy from "../../src/memory/WritePolicy.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as NamespaceHandlers from "../../src/namespace/NamespaceHandlers.ts"
import * as NamespaceStore from "../../src/namespace/NamespaceStore.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { layerTest as layerEmbedder } from "../../src/platform/EmbedderTest.ts"
import * as FaultyStore from "./FaultyStore.ts"

const layerDispatch = Layer.effect(
  Dispatch,
  Effect.map(
    Effect.all([
      MemoryWrites.make,
      MemoryReads.make,
      LifecycleHandlers.make,
      SweepHandlers.make,
      ProposalHandlers.make,
      ReviewHandlers.make,
      NamespaceHandlers.make
    ]),
    (groups) => make(groups.flat())
  )
)

export const layer = (
  options: MemoryEntity.Options = MemoryEntity.defaultOptions,
  sharding: Layer.Layer<Sharding> = LocalSharding.layer
) =>
  layerDispatch.pipe(
    Layer.provideMerge(MemoryClient.layer),
    Layer.provideMerge(
      MemoryEntity.layer(options).pipe(
        Layer.provide([
          Committer.layer,
          ActorRules.layer.pipe(
            Layer.provide([Layer.provide(Thresholds.layer(), CalibrationStore.layerMemory), BlacklistCache.layerNone])
          )
        ])
      )
    ),
    Layer.provideMerge(Layer.merge(sharding, Fence.layerNone)),
    Layer.provideMerge(Layer.merge(MemoryIntake.layer, NamespaceCache.layer)),
    Layer.provideMerge(FaultyStore.layer),
    Layer.provideMerge(Layer.mergeAll(
      FaultyStore.layerScript,
      MemoryStoreMemory.layerMemory,
      layerBeliefs,
      NamespaceStore.layerMemory,
      MemoryUsageStore.layerMemory,
      WritePolicy.layer,
      SensitivityPolicy.layerDetect,
      layerEmbedder,
      Cursors.layerMemory
    ))
  )

/** Calls a verb, as the local caller or another; answers the encoded JSON. */
export const call = (
  verb: string,
  request: object,
  caller: Caller = localCaller
): Effect.Effect<Record<string, unknown>, LoomError, Dispatch> =>
  Effect.flatMap(Dispatch, (dispatch) => dispatch.call(verb, request, caller)).pipe(
    Effect.map((answer) => ({ ...Object(answer) }))
  )

/** Calls a verb as the caller given and reads the answer by the verb's schema. */
export const ask = <A, I>(
  verb: { readonly tag: string; readonly answer: Schema.Schema<A, I> },
  request: object,
  caller: Caller = localCaller
): Effect.Effect<A, LoomError, Dispatch> =>
  Effect.flatMap(Dispatch, (dispatch) => dispatch.call(verb.tag, request, caller)).pipe(
    Effect.map(Schema.decodeUnknownSync(verb.answer))
  )
