/**
 * The store in this process keeps the contract.
 */
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import { suite } from "./MemoryStoreContract.ts"

suite("memory", layerMemory)
