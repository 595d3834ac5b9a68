import * as Layer from "effect/Layer"
import * as ModelAnswerStore from "../../src/platform/ModelAnswerStore.ts"
import * as ModelUsageStore from "../../src/platform/ModelUsageStore.ts"
import { suite } from "./ModelStoreContract.ts"

suite("memory", Layer.merge(ModelAnswerStore.layerMemory, ModelUsageStore.layerMemory))
