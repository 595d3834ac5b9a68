/**
 * ClickHouse keeps the contract over HTTP.
 */
import * as Layer from "effect/Layer"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngineUrl } from "./MemoryEngine.ts"
import { suite } from "./MemoryStoreContract.ts"

const layer = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer)

suite("ClickHouse over HTTP", Layer.provide(layer, layerEngineUrl))
