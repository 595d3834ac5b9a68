/**
 * The `loom` command line: its commands, and how each run ends. A failure is told once, in one line on stderr, and with
 * `--json` as one JSON object on stdout; the exit code says which kind it was.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { authorityCommand } from "./AuthorityCommand.ts"
import { callCommand } from "./CallCommand.ts"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure, exitCodes } from "./CliFailure.ts"
import { doctorCommand } from "./DoctorIsolationCommand.ts"
import { engineCommand } from "./EngineCommand.ts"
import { exportCommand } from "./ExportCommand.ts"
import { gatewayCommand } from "./GatewayCommand.ts"
import { healthCommand } from "./HealthCommand.ts"
import * as Help from "./Help.ts"
import { importCommand } from "./ImportCommand.ts"
import { listTokensCommand } from "./ListTokensCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { migrateCommand } from "./MigrateCommand.ts"
import { mintTokenCommand } from "./MintTokenCommand.ts"
import * as Output from "./Output.ts"
import { reviewCommand } from "./ReviewCommand.ts"
import { revokeTokenCommand } from "./RevokeTokenCommand.ts"
import { runnerCommand } from "./RunnerCommand.ts"
import { serveCommand } from "./ServeCommand.ts"
import * as Stdin from "./Stdin.ts"
import { verbsCommand } from "./VerbsCommand.ts"
import { version } from "./Version.ts"

export const root = Command.make("loom").pipe(
  Command.withDescription("Shared long-term memory for AI agents"),
  Command.withSubcommands([
    serveCommand,
    callCommand,
    verbsCommand,
    importCommand,
    exportCommand,
    reviewCommand,
    mintTokenCommand,
    listTokensCommand,
    revokeTokenCommand,
    healthCommand,
    doctorCommand,
    mcpCommand,
    gatewayCommand,
    runnerCommand,
    engineCommand,
    migrateCommand,
    authorityCommand
  ])
)

const tree: Help.Tree = {
  root: root.descriptor,
  groups: {
    import: importCommand.descriptor,
    doctor: doctorCommand.descriptor,
    authority: authorityCommand.descriptor
  }
}

const config = CliConfig.make({ isCaseSensitive: true, showBuiltIns: false })

const told = (failure: CliFailure, asJson: boolean): Effect.Effect<number> =>
  Output.note(`loom: ${failure.message}`).pipe(
    Effect.zipRight(asJson && !failure.printed ? Output.json({ detail: failure.detail }) : Effect.void),
    Effect.as(exitCodes[failure.exit])
  )

const app = Command.run(root, { name: "Loom", executable: "loom", version })

const execute = (argv: ReadonlyArray<string>) =>
  app(Stdin.withNamedStdin(argv)).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catchAll((error) => {
      const words = error._tag === "CliFailure" ? "" : Help.plainText(error.error)
      const failure = error._tag === "CliFailure"
        ? error
        : cliFailure("usage", "USAGE", `${words} (\`loom --help\` lists what there is)`)
      return told(failure, argv.includes("--json"))
    }),
    Effect.provideService(CliConfig.CliConfig, config),
    Output.withPlainConsole
  )

/** Runs one command line (`process.argv` as it is) and answers the exit code. */
export const run = (argv: ReadonlyArray<string>) =>
  Option.match(Help.placeOf(tree, argv.slice(2)), {
    onNone: () => execute(argv),
    onSome: (place) => Effect.as(Output.lines(Help.page(place, config)), exitCodes.done)
  })
