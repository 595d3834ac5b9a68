/** ClickHouse keeps the contract. */
import * as Layer from "effect/Layer"
import { layer } from "../../src/conversation/TurnStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./TurnStoreContract.ts"

suite("ClickHouse", Layer.provide(layer, layerEngine))
