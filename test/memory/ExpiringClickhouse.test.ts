import * as Layer from "effect/Layer"
import * as ExpiringClickhouse from "../../src/memory/ExpiringClickhouse.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { suite } from "./ExpiringContract.ts"
import { layerEngine } from "./MemoryEngine.ts"

suite("ClickHouse", Layer.provide(Layer.merge(MemoryStoreClickhouse.layer, ExpiringClickhouse.layer), layerEngine))
