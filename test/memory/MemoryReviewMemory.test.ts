/**
 * The adapters in this process keep the contracts of review and of belief sources.
 */
import { layerMemory as layerBeliefs } from "../../src/memory/BeliefSources.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import { suite as beliefSuite } from "./BeliefSourcesContract.ts"
import { suite } from "./MemoryReviewContract.ts"

suite("memory", layerMemory)
beliefSuite("memory", layerBeliefs)
