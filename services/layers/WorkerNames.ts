/** The background workers of this build, by the names that settings, verbs and metrics know them by. */
import type { WorkerFacts } from "../../src/ops/OpsGroundModel.ts"
import * as Calibration from "../../workers/Calibration.ts"
import * as ConflictResolver from "../../workers/ConflictResolver.ts"
import * as Consolidation from "../../workers/Consolidation.ts"
import * as Digests from "../../workers/Digests.ts"
import * as EntityExtractor from "../../workers/EntityExtractor.ts"
import * as Expiry from "../../workers/Expiry.ts"
import * as ExtractionQueue from "../../workers/ExtractionQueue.ts"
import * as Pruning from "../../workers/Pruning.ts"
import * as ReEmbed from "../../workers/ReEmbed.ts"
import * as UsageFold from "../../workers/UsageFold.ts"

export const workerFacts: ReadonlyArray<WorkerFacts> = [
  { name: ConflictResolver.NAME, reads: "feed" },
  { name: Calibration.NAME, reads: "schedule" },
  { name: ReEmbed.NAME, reads: "schedule" },
  { name: EntityExtractor.NAME, reads: "feed" },
  { name: Digests.NAME, reads: "schedule" },
  { name: Expiry.NAME, reads: "schedule" },
  { name: ExtractionQueue.NAME, reads: "queue" },
  { name: UsageFold.NAME, reads: "schedule" },
  { name: Pruning.NAME, reads: "schedule" },
  { name: Consolidation.NAME, reads: "schedule" }
]

export const workerNames: ReadonlyArray<string> = workerFacts.map(({ name }) => name)

// It gives every row that names something a second version, which no house has lived with for long yet.
const asked: ReadonlyArray<string> = [EntityExtractor.NAME]

/** Those that run unless a setting says otherwise. */
export const usualWorkers: ReadonlyArray<string> = workerNames.filter((name) => !asked.includes(name))
