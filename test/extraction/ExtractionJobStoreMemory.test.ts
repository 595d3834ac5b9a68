/** The queue in this process keeps the contract. */
import { layerMemory } from "../../src/extraction/ExtractionJobStore.ts"
import { suite } from "./ExtractionJobStoreContract.ts"

suite("memory", layerMemory)
