/**
 * ClickHouse keeps the contract.
 */
import * as Layer from "effect/Layer"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { suite } from "./MemoryStoreContract.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer)

suite("ClickHouse", Layer.provide(layer, layerEngine))
