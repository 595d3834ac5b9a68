/**
 * ClickHouse keeps the contracts of review and of belief sources, and holds no scrubbed text in any table.
 */
import * as Layer from "effect/Layer"
import * as BeliefSourcesClickhouse from "../../src/memory/BeliefSourcesClickhouse.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryReviewClickhouse from "../../src/memory/MemoryReviewClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { suite as beliefSuite } from "./BeliefSourcesContract.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { suite } from "./MemoryReviewContract.ts"

// One engine a process: both suites share it.
const layer = Layer.mergeAll(
  MemoryStoreClickhouse.layer,
  MemoryReaderClickhouse.layer,
  MemoryReviewClickhouse.layer,
  BeliefSourcesClickhouse.layer
).pipe(Layer.provide(layerEngine))

suite("ClickHouse", layer)
beliefSuite("ClickHouse", layer)
