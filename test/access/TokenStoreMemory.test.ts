import { layerMemory } from "../../src/access/TokenStore.ts"
import { suite } from "./TokenStoreContract.ts"

suite("memory", layerMemory)
