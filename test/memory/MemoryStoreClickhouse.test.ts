/**
 * ClickHouse, as the embedded engine, keeps the contract.
 */
import * as Layer from "effect/Layer"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { suite } from "./MemoryStoreContract.ts"

suite(
  "ClickHouse",
  Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer).pipe(Layer.provide(layerEngine))
)
