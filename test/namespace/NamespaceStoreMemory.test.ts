import { layerMemory } from "../../src/namespace/NamespaceStore.ts"
import { suite } from "./NamespaceStoreContract.ts"

suite("memory", layerMemory)
