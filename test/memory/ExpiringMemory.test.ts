import * as Layer from "effect/Layer"
import { layerWalk } from "../../src/memory/Expiring.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import { suite } from "./ExpiringContract.ts"

suite("memory", Layer.provideMerge(layerWalk, layerMemory))
