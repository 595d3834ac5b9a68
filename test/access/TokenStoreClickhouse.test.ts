import * as Layer from "effect/Layer"
import * as TokenStoreClickhouse from "../../src/access/TokenStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./TokenStoreContract.ts"

suite("ClickHouse", Layer.provide(TokenStoreClickhouse.layer, layerEngine))
