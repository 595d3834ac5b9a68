/**
 * The real stores a history is played in: ClickHouse as the engine in this process, or the same behind its HTTP server, with
 * the committer that the server has.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Committer from "../../src/memory/Committer.ts"
import * as Fence from "../../src/memory/Fence.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine, layerEngineUrl } from "../memory/MemoryEngine.ts"
import type { Place } from "./ModelRun.ts"

const stores = Layer.merge(MemoryStoreClickhouse.layer, MemoryReaderClickhouse.layer)

const layerOver = <E>(under: Layer.Layer<MemoryStore | MemoryReader, E>) =>
  Layer.provideMerge(Layer.provide(Committer.layer, Fence.layerNone), under)

export const layerEmbedded = layerOver(Layer.provide(stores, layerEngine))
export const layerHttp = layerOver(Layer.provide(stores, layerEngineUrl))

export const place: Effect.Effect<Place, never, MemoryStore | MemoryReader | Committer.Committer> = Effect.gen(
  function*() {
    const context = yield* Effect.context<MemoryStore | MemoryReader | Committer.Committer>()
    return { store: Context.pick(MemoryStore, MemoryReader)(context), committer: yield* Committer.Committer }
  }
)
