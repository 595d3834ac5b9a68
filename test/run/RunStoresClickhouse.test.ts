import * as Layer from "effect/Layer"
import * as MemoryUsageStoreClickhouse from "../../src/memory/MemoryUsageStoreClickhouse.ts"
import * as RunStoreClickhouse from "../../src/run/RunStoreClickhouse.ts"
import * as UseStoreClickhouse from "../../src/run/UseStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import * as RunStoreContract from "./RunStoreContract.ts"
import * as UsageStoreContract from "./UsageStoreContract.ts"
import * as UseStoreContract from "./UseStoreContract.ts"

// One engine for the file: an engine that was closed does not open again in its process.
const shared = Layer.mergeAll(RunStoreClickhouse.layer, UseStoreClickhouse.layer, MemoryUsageStoreClickhouse.layer)
  .pipe(Layer.provideMerge(layerEngine))

RunStoreContract.suite("ClickHouse", shared)
UseStoreContract.suite("ClickHouse", shared)
UsageStoreContract.suite("ClickHouse", shared)
