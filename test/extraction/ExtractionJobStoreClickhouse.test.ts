/** ClickHouse keeps the contract. */
import * as Layer from "effect/Layer"
import { layer } from "../../src/extraction/ExtractionJobStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { suite } from "./ExtractionJobStoreContract.ts"

suite("ClickHouse", Layer.provide(layer, layerEngine))
