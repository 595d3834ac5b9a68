/**
 * Runs the command of an evaluation: its failures become one line and an exit code.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { exitCodes } from "../../services/cli/CliFailure.ts"
import type { CliFailure } from "../../services/cli/CliFailure.ts"
import { plainText } from "../../services/cli/Help.ts"
import * as Output from "../../services/cli/Output.ts"
import * as Stop from "../../services/cli/Stop.ts"
import { version } from "../../services/cli/Version.ts"

const layerPlatform = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeTerminal.layer,
  FetchHttpClient.layer
)

export const run = <Name extends string, A>(
  name: string,
  command: Command.Command<Name, Layer.Layer.Success<typeof layerPlatform> | Stop.Stop, CliFailure, A>
): void => {
  const program = Command.run(command, { name, version })(process.argv).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catchAll((error) => {
      const isOurs = error._tag === "CliFailure"
      const message = isOurs ? error.message : plainText(error.error)
      return Effect.as(Output.note(`${name}: ${message}`), isOurs ? exitCodes[error.exit] : exitCodes.usage)
    }),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ isCaseSensitive: true, showBuiltIns: false })),
    Output.withPlainConsole
  )
  Stop.runMain(Effect.provide(program, layerPlatform))
}
