/**
 * ClickHouse with every migration applied, on a new folder for one test file: the engine in this process, or the same
 * behind its HTTP server.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { layerTemp, layerTempUrl } from "../platform/ClickhouseTemp.ts"

const migrated = Layer.effectDiscard(Effect.flatMap(ClickhouseMigrations.load(), ClickhouseMigrator.run))

export const layerEngine = Layer.provideMerge(migrated, layerTemp())

export const layerEngineUrl = Layer.provideMerge(migrated, layerTempUrl())
