/**
 * ClickHouse keeps the contract, as the engine in this process. (One engine a file: each file is a process of its own.)
 */
import * as Layer from "effect/Layer"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine } from "./MemoryEngine.ts"
import { suite } from "./MemoryStoreContract.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer)

suite("ClickHouse in process", Layer.provide(layer, layerEngine))
