/**
 * `loom import`: the formats that can be imported.
 */
import * as Command from "@effect/cli/Command"
import { importJsonlCommand } from "./ImportJsonlCommand.ts"
import { importLocomoCommand } from "./ImportLocomoCommand.ts"

export const importCommand = Command.make("import").pipe(
  Command.withDescription("Import memories from a file, with receipts; goes on after a break"),
  Command.withSubcommands([importJsonlCommand, importLocomoCommand])
)
