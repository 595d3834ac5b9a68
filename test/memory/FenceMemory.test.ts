/**
 * The fence in this process keeps the contract.
 */
import { layerMemory } from "../../src/memory/FenceMemory.ts"
import { suite } from "./FenceContract.ts"

suite("memory", layerMemory)
