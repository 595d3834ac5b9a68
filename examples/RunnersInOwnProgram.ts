/**
 * A runner and a gateway of a cluster inside a program of one's own, with settings and an embedder of one's own. The program
 * calls verbs from within, without HTTP; other programs, `loom runner` and `loom gateway` may stand beside it in the same
 * cluster, as long as all have the same embedder. It needs LOOM_CLICKHOUSE_URL and LOOM_POSTGRES_URL, both migrated
 * (`loom migrate`), and ends when it has written and read once.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { localCaller } from "loom/kernel/Caller"
import * as EmbedderTest from "loom/platform/EmbedderTest"
import { Dispatch } from "loom/services/gateway/Dispatch"
import * as Gateway from "loom/services/gateway/Gateway"
import * as Runner from "loom/services/runner/Runner"

// Hashes of words, which need no model: a toy. CustomEmbedder.ts shows how to make one.
const parts = { version: "example", embedder: EmbedderTest.layerTest }

const program = Effect.gen(function*() {
  const configured = yield* Runner.settings
  // Fewer writes wait here than by default, other runners of the cluster do the background work, and nobody asks its health.
  const settings = { ...configured, mailboxCapacity: 64, workers: [], host: "127.0.0.1", port: 0 }
  const address = yield* Runner.findAddress(settings)
  // What is built last ends first: the gateway's requests, then what the runner has begun.
  yield* Layer.build(Runner.layerWith(settings, address, parts))
  const gateway = yield* Layer.build(Gateway.layerWith({ ...(yield* Gateway.settings), port: 0 }, parts))
  const { call } = yield* Effect.provide(Dispatch, gateway)
  yield* call(
    "memory.set",
    { memory_key: "example/own-program", value: "A program of its own holds this." },
    localCaller
  )
  const found = yield* call("memory.get", { memory_key: "example/own-program" }, localCaller)
  const value = Predicate.hasProperty(found, "value") ? found.value : "nothing"
  yield* Console.log(`Written through the runner at ${address.host}:${address.port}, read from the gateway: ${value}`)
}).pipe(Effect.scoped)

NodeRuntime.runMain(program)
