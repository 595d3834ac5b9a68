/**
 * `loom mcp` as a process, for the tests: the stdio transport, its server and token from the environment.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as McpStdio from "../../services/gateway/McpStdio.ts"
import { LoomClient } from "../../src/client/LoomClient.ts"

McpStdio.run("0.0.0-test").pipe(
  Effect.provide(LoomClient.layerConfig({ retry: { baseMs: 5 } }).pipe(Layer.provide(FetchHttpClient.layer))),
  NodeRuntime.runMain
)
