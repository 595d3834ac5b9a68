/**
 * The two stores of a cluster as its processes hold them: shared with others, so they are not migrated on the way. A
 * process whose schema is newer than theirs does not start; `loom migrate` is run once before.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import * as Health from "../gateway/Health.ts"
import * as ClusterPostgres from "./ClusterPostgres.ts"

const layerCurrent = Layer.effectDiscard(
  Effect.flatMap(ClickhouseMigrations.load(), ClickhouseMigrator.requireCurrent)
)

/** Both stores, once their schemas are known to be those of this build. */
export const layer = layerCurrent.pipe(
  Layer.provideMerge(Layer.merge(Clickhouse.layerConfig, ClusterPostgres.layer))
)

/** Ready when both answer. */
export const layerReadiness = Layer.effect(
  Health.Readiness,
  Effect.gen(function*() {
    const clickhouse = yield* Clickhouse.Clickhouse
    const postgres = yield* ClusterPostgres.ping
    return yield* Health.make<unknown>([
      { name: "clickhouse", ask: clickhouse.ping },
      { name: "postgres", ask: postgres }
    ])
  })
)
