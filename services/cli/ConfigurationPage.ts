/**
 * The page `docs/configuration.md`, made from the settings' own facts, so that it cannot say anything else. A test
 * compares it with the file and writes it anew when `UPDATE_DOCS=1`.
 */
import * as ClusterSettings from "../layers/ClusterSettings.ts"
import * as Settings from "../layers/Settings.ts"
import type { SettingFacts } from "../layers/Settings.ts"
import { exitMeanings } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"

const everyFact = [...Settings.settingFacts, ...ClusterSettings.settingFacts, ...CliSettings.settingFacts]

/** Every setting of every process; those that are not ours alone come last. */
export const allSettings: ReadonlyArray<SettingFacts> = [
  ...everyFact.filter(({ name }) => name.startsWith("LOOM_")),
  ...everyFact.filter(({ name }) => !name.startsWith("LOOM_"))
]

const cell = (text: string): string => text.replaceAll("|", "\\|")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

/** `docs/configuration.md`. */
export const configurationPage = (): string =>
  `# Configuration

Every setting is an environment variable. All of them are checked before anything starts, and every wrong value is named
at once. \`loom serve\` and \`loom engine\` take the most common ones as options too (\`--port\` for \`LOOM_PORT\`); an option
wins over the environment. Secrets are never logged.

${
    table(
      ["name", "values", "default", "meaning"],
      allSettings.map(({ initial, meaning, name, values }) => [`\`${name}\``, values, initial, meaning])
    )
  }

## Exit codes

${table(["code", "meaning"], exitMeanings.map(([code, meaning]) => [String(code), meaning]))}

Results go to stdout; what a command does, why it fails and the log go to stderr. With \`--json\` every command prints its
result, or its error as \`{"detail": {"code", "message", …}}\`, as one JSON object on one line.

## Files in the data folder

${
    table(["file", "what it is"], [
      ["`clickhouse/`", "The embedded engine's tables. One process opens them at a time."],
      ["`clickhouse/owner.json`", "Which process that is. Means nothing once it has ended."],
      ["`clickhouse/engine.token`", "The secret of `loom engine`, for its owner alone."],
      [
        "`root.token`",
        "The operator's own token, for its owner alone: `loom mint-token` mints the first tokens with it."
      ],
      ["`server.json`", "Where the running server listens. Means nothing once it has ended."],
      ["`imports/`", "How far imports without a receipts file are; a file goes when all of its items are in."]
    ])
  }
`
