/**
 * One process under the authority of Postgres: what is so of memory is a row in Postgres (LOOM_POSTGRES_URL), committed in
 * one transaction; ClickHouse holds a copy for search and history, here the embedded engine or LOOM_CLICKHOUSE_URL. The
 * choice is made in code, so no LOOM_AUTHORITY is read from outside. The process brings both stores to its schema, and a
 * second one beside it does no harm. It writes and reads once and ends.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { localCaller } from "loom/kernel/Caller"
import { Dispatch } from "loom/services/gateway/Dispatch"
import * as Parts from "loom/services/layers/Parts"
import * as Serve from "loom/services/serve/Serve"

// What is chosen here stands in front of the environment, for every part that reads it.
const chosen = ConfigProvider.fromMap(new Map([["LOOM_AUTHORITY", "postgres"]]), { pathDelim: "_" })

const program = Effect.gen(function*() {
  const server = yield* Layer.build(Serve.layerWith(yield* Serve.settings, Parts.configured("example")))
  const { call } = yield* Effect.provide(Dispatch, server)
  yield* call("memory.set", { memory_key: "example/authority", value: "Postgres says what is so." }, localCaller)
  const found = yield* call("memory.get", { memory_key: "example/authority" }, localCaller)
  yield* Console.log(`Read from Postgres: ${Predicate.hasProperty(found, "value") ? found.value : "nothing"}`)
}).pipe(Effect.scoped, Effect.withConfigProvider(ConfigProvider.orElse(chosen, ConfigProvider.fromEnv)))

NodeRuntime.runMain(program)
