/**
 * The stores of memory under either authority, as each process takes them: with the fence that belongs to them, and after a
 * look whether they are under the one that the process was told (`LOOM_AUTHORITY`).
 */
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreError } from "../../src/kernel/LoomError.ts"
import * as AuthorityClickhouse from "../../src/memory/AuthorityClickhouse.ts"
import type { Authority, AuthorityRefused } from "../../src/memory/AuthorityModel.ts"
import * as AuthorityStanding from "../../src/memory/AuthorityStanding.ts"
import * as AuthorityStart from "../../src/memory/AuthorityStart.ts"
import * as Fence from "../../src/memory/Fence.ts"
import type { MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { MemoryReview } from "../../src/memory/MemoryReview.ts"
import type { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemorySwitch from "../../src/memory/MemorySwitch.ts"
import type { Clickhouse } from "../../src/platform/Clickhouse.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as OutboxRelay from "../../workers/OutboxRelay.ts"
import * as Health from "../gateway/Health.ts"
import * as ClusterStores from "./ClusterStores.ts"
import * as Slices from "./Slices.ts"

/** What a process has of memory. */
export type Memory = MemoryStore | MemoryReader | MemoryReview

type Refusal = AuthorityRefused | StoreError

/** Of a process that has ClickHouse alone. */
const layerOfClickhouse = Layer.provideMerge(
  Slices.layerMemory,
  Layer.effectDiscard(AuthorityClickhouse.requireClickhouse)
)

/** Of one that has both stores: it starts under what it was told, and follows when they are moved. */
const layerOfBoth = (authority: Authority) =>
  Slices.layerMemoryOfBoth.pipe(
    Layer.provideMerge(AuthorityStanding.layer(authority)),
    Layer.provideMerge(Layer.effectDiscard(AuthorityStart.requireTold(authority)))
  )

/** Of a gateway: it reads, and fences nothing. */
export const layerGateway = (
  authority: Authority
): Layer.Layer<Memory, Refusal, Clickhouse | Postgres.Postgres> => layerOfBoth(authority)

/** Of a runner: with the relay of what other runners left behind. */
export const layerRunner = (
  authority: Authority
): Layer.Layer<Memory | Fence.Fence, Refusal, Clickhouse | Postgres.Postgres> =>
  Layer.merge(OutboxRelay.layer, MemorySwitch.layerFence).pipe(Layer.provideMerge(layerOfBoth(authority)))

const layerMigrated = Layer.effectDiscard(Effect.flatMap(PostgresMigrations.load(), PostgresMigrator.run))

/**
 * Of the one process of `loom serve`. Under ClickHouse it alone may write the store, and nothing is fenced; under Postgres
 * it brings that store to its schema, and another such process does no harm.
 */
export const layerServe = (
  authority: Authority
): Layer.Layer<
  Memory | Fence.Fence | Health.Readiness,
  Refusal | ConfigError | PostgresMigrator.MigrationError,
  Clickhouse
> =>
  authority === "postgres"
    ? Layer.mergeAll(layerRunner(authority), ClusterStores.layerReadiness).pipe(
      Layer.provide(layerMigrated),
      Layer.provide(Postgres.layerConfig({ applicationName: "loom serve" }))
    )
    : Layer.mergeAll(layerOfClickhouse, Fence.layerNone, Health.layerClickhouse)
