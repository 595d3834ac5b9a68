import { layerMemory } from "../../src/work/WorkerStore.ts"
import { suite } from "./WorkerStoreContract.ts"

suite("memory", layerMemory)
