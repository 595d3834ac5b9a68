import { layerMemory } from "../../src/blacklist/BlacklistStore.ts"
import { suite } from "./BlacklistStoreContract.ts"

suite("memory", layerMemory)
