/**
 * The stores under the authority of Postgres, for one test file: a real Postgres with an empty database, and ClickHouse as
 * the engine in this process.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AuthorityPostgres from "../../src/memory/AuthorityPostgres.ts"
import * as AuthorityStanding from "../../src/memory/AuthorityStanding.ts"
import * as MemoryProjection from "../../src/memory/MemoryProjection.ts"
import * as MemoryReaderClickhouse from "../../src/memory/MemoryReaderClickhouse.ts"
import * as MemoryReaderPostgres from "../../src/memory/MemoryReaderPostgres.ts"
import * as MemoryReviewClickhouse from "../../src/memory/MemoryReviewClickhouse.ts"
import * as MemoryReviewPostgres from "../../src/memory/MemoryReviewPostgres.ts"
import * as MemoryStorePostgres from "../../src/memory/MemoryStorePostgres.ts"
import * as MemorySwitch from "../../src/memory/MemorySwitch.ts"
import * as OutboxPostgres from "../../src/memory/OutboxPostgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { layerEngine } from "./MemoryEngine.ts"

const migrated = Layer.effectDiscard(
  PostgresMigrations.load().pipe(
    Effect.flatMap(PostgresMigrator.run),
    Effect.zipRight(AuthorityPostgres.decideFirst("postgres"))
  )
)

/** Both servers, migrated. */
export const layerServers = Layer.merge(Layer.provideMerge(migrated, PostgresHouse.layer()), layerEngine)

/** Store, reader and outbox over them and a projection. */
export const layerOver = (options: MemoryStorePostgres.Options = { patience: Duration.infinity }) =>
  Layer.mergeAll(
    MemoryStorePostgres.layer(options),
    Layer.provide(MemoryReaderPostgres.layer, MemoryReaderClickhouse.layer),
    Layer.provide(MemoryReviewPostgres.layer, MemoryReviewClickhouse.layer)
  ).pipe(Layer.provideMerge(OutboxPostgres.layer))

export const layer = layerOver().pipe(
  Layer.provideMerge(MemoryProjection.layerClickhouse),
  Layer.provideMerge(layerServers)
)

/** The fence that belongs to them. */
export const layerFence = Layer.provide(MemorySwitch.layerFence, AuthorityStanding.layer("postgres"))
