/**
 * ClickHouse with every migration applied, on a new folder for one test file: the engine in this process, or behind its
 * HTTP server where the house of the run reaches it so.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import { layerTemp, layerTempUrl } from "../platform/ClickhouseTemp.ts"
import { houseName } from "../support/LoomHouse.ts"

const migrated = Layer.effectDiscard(Effect.flatMap(ClickhouseMigrations.load(), ClickhouseMigrator.run))

export const layerEngineUrl = Layer.provideMerge(migrated, layerTempUrl())

export const layerEngine = houseName() === "engine" ? layerEngineUrl : Layer.provideMerge(migrated, layerTemp())
