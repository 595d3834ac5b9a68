import * as MemoryUsageStore from "../../src/memory/MemoryUsageStore.ts"
import * as RunStore from "../../src/run/RunStore.ts"
import * as UseStore from "../../src/run/UseStore.ts"
import * as RunStoreContract from "./RunStoreContract.ts"
import * as UsageStoreContract from "./UsageStoreContract.ts"
import * as UseStoreContract from "./UseStoreContract.ts"

RunStoreContract.suite("memory", RunStore.layerMemory)
UseStoreContract.suite("memory", UseStore.layerMemory)
UsageStoreContract.suite("memory", MemoryUsageStore.layerMemory)
