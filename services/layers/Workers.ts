/**
 * The background workers of a process. Serve runs them beside its actors, since it is the only process there is; in a
 * cluster every runner holds the same layer, and each worker lives on exactly one of them.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Consolidation from "../../src/consolidation/Consolidation.ts"
import * as ConsolidationStoreClickhouse from "../../src/consolidation/ConsolidationStoreClickhouse.ts"
import * as ActorRules from "../../src/memory/ActorRules.ts"
import { OpsGround } from "../../src/ops/OpsGroundModel.ts"
import * as Calibration from "../../workers/Calibration.ts"
import * as ConflictResolver from "../../workers/ConflictResolver.ts"
import * as ConsolidationWorker from "../../workers/Consolidation.ts"
import * as Digests from "../../workers/Digests.ts"
import * as EntityExtractor from "../../workers/EntityExtractor.ts"
import * as Expiry from "../../workers/Expiry.ts"
import * as ExtractionQueue from "../../workers/ExtractionQueue.ts"
import * as Pruning from "../../workers/Pruning.ts"
import * as ReEmbed from "../../workers/ReEmbed.ts"
import * as UsageFold from "../../workers/UsageFold.ts"
import type { Host } from "../../workers/Worker.ts"
import { Readiness } from "../gateway/Health.ts"
import * as Extracting from "./Extracting.ts"
import * as Pruned from "./Pruned.ts"
import { workerFacts } from "./WorkerNames.ts"
import { digestQuiet, workers } from "./WorkerSettings.ts"

/** The workers of these names; they end before the actors do that they write through. */
export const layer = (enabled: ReadonlyArray<string>, host: Host) => {
  const when = <E, R>(name: string, worker: Layer.Layer<never, E, R>) => enabled.includes(name) ? worker : Layer.empty
  return Layer.mergeAll(
    when(ConflictResolver.NAME, ConflictResolver.make()(host)),
    when(EntityExtractor.NAME, EntityExtractor.make()(host)),
    when(Digests.NAME, digests(host)),
    when(Expiry.NAME, Expiry.make()(host)),
    when(Calibration.NAME, Calibration.make()(host)),
    when(ReEmbed.NAME, ReEmbed.make()(host)),
    when(ExtractionQueue.NAME, ExtractionQueue.make()(host)),
    when(UsageFold.NAME, UsageFold.make()(host)),
    when(Pruning.NAME, Pruning.make()(host)),
    when(ConsolidationWorker.NAME, ConsolidationWorker.make()(host))
  ).pipe(
    Layer.provide([
      ActorRules.layer,
      Pruned.layer,
      Extracting.layer,
      Layer.provide(Consolidation.layer, ConsolidationStoreClickhouse.layer)
    ])
  )
}

const digests = (host: Host) =>
  Layer.unwrapEffect(
    Effect.map(Config.nested(digestQuiet, "LOOM"), (quiet) => Digests.make({ quiet })(host))
  )

/** What the verbs for operators tell of. */
export const layerOps = Layer.effect(
  OpsGround,
  Effect.gen(function*() {
    const { check } = yield* Readiness
    // One that no process is to run is not missing.
    const enabled = yield* Config.nested(workers, "LOOM")
    return {
      checks: Effect.map(check, ({ checks }) => checks),
      workers: workerFacts.filter(({ name }) => enabled.includes(name))
    }
  })
)
