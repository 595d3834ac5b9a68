import * as Layer from "effect/Layer"
import * as BlacklistStoreClickhouse from "../../src/blacklist/BlacklistStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./BlacklistStoreContract.ts"

suite("ClickHouse", Layer.provide(BlacklistStoreClickhouse.layer, layerEngine))
