/**
 * `loom mcp`: the Model Context Protocol over stdin and stdout, for a coding agent that starts its servers itself. A thin
 * client of the configured server: it holds no data and ends when stdin does.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { LoomClient } from "../../src/client/LoomClient.ts"
import { cliFailure } from "./CliFailure.ts"
import { startFailure } from "./StartFailure.ts"
import { Stop } from "./Stop.ts"
import { version } from "./Version.ts"

const serve = Effect.gen(function*() {
  const McpStdio = yield* Effect.promise(() => import("../gateway/McpStdio.ts"))
  return yield* Effect.mapError(
    McpStdio.run(version),
    (cause) => cliFailure("failed", "STDIO", `The pipe broke: ${String(cause)}`)
  )
})

export const mcpCommand = Command.make("mcp", {}, () =>
  Effect.gen(function*() {
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    return yield* serve.pipe(
      Effect.provide(LoomClient.layerConfig()),
      Effect.catchTag("ConfigError", (error) => Effect.fail(startFailure(error)))
    )
  })).pipe(Command.withDescription("Speak MCP over stdin and stdout, as a client of the server"))
