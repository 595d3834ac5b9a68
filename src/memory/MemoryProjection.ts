/**
 * The store of ClickHouse under the authority of Postgres: history, search and everything derived, made from what
 * Postgres committed. A port of its own, so that nobody takes it for the store that says what is so.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import { MemoryStore } from "./MemoryStore.ts"
import * as MemoryStoreClickhouse from "./MemoryStoreClickhouse.ts"

export class MemoryProjection
  extends Context.Tag("loom/memory/MemoryProjection")<MemoryProjection, MemoryStore["Type"]>()
{}

export const layerClickhouse: Layer.Layer<MemoryProjection, never, Clickhouse> = Layer.provide(
  Layer.effect(MemoryProjection, MemoryStore),
  MemoryStoreClickhouse.layer
)
