/**
 * The settings that the command line reads beside those of `services/layers/Settings.ts`, with their facts for
 * `docs/configuration.md`.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Settings from "../layers/Settings.ts"
import type { SettingFacts } from "../layers/Settings.ts"

/** Where the data lies. */
export const data: Config.Config<string> = Config.nested(Settings.dataFolder, "LOOM")

/** The ClickHouse server that takes the place of the embedded engine, if one does. */
export const clickhouseUrl: Config.Config<Option.Option<URL>> = Config.nested(
  Config.option(Config.url("CLICKHOUSE_URL")),
  "LOOM"
)

// The port on which ClickHouse speaks HTTP everywhere.
const ENGINE_PORT = 8123

/** Where `loom engine` listens. */
export const enginePort: Config.Config<number> = Config.nested(
  Config.integer("ENGINE_PORT").pipe(
    Config.withDefault(ENGINE_PORT),
    Config.mapOrFail((port) =>
      port >= 0 && port <= 65_535
        ? Either.right(port)
        : Either.left(ConfigError.InvalidData(["ENGINE_PORT"], "expected a whole number from 0 to 65535"))
    )
  ),
  "LOOM"
)

const optional = (name: string) => Config.map(Config.option(Config.nonEmptyString(name)), Option.getOrUndefined)

export interface ClientSettings {
  /** Undefined when it is not said, so that a command may look for a local server first. */
  readonly baseUrl: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly org: string | undefined
  readonly namespace: string | undefined
}

/** Where `loom serve` listens when nothing else is said. */
export const LOCAL_SERVER = "http://127.0.0.1:7777"

/** Which server a command calls, and as whom. */
export const client: Config.Config<ClientSettings> = Config.nested(
  Config.all({
    baseUrl: Config.map(
      Config.option(Config.url("BASE_URL")),
      (url) => Option.getOrUndefined(Option.map(url, ({ href }) => href.replace(/\/+$/, "")))
    ),
    apiKey: Config.map(Config.option(Config.redacted("API_KEY")), Option.getOrUndefined),
    org: optional("ORG"),
    namespace: optional("NAMESPACE")
  }),
  "LOOM"
)

const fact = (name: string, values: string, initial: string, meaning: string): SettingFacts => ({
  name,
  values,
  initial,
  meaning
})

export const settingFacts: ReadonlyArray<SettingFacts> = [
  fact("LOOM_ORG", "text", "(the token's)", "For clients and the command line: the org to act in."),
  fact(
    "LOOM_NAMESPACE",
    "text",
    "(the token's, or local)",
    "For clients and the command line: the namespace to act in."
  ),
  fact("LOOM_ENGINE_PORT", "0 to 65535", String(ENGINE_PORT), "The port of `loom engine`; 0 takes any free one."),
  fact("NO_COLOR", "text", "(none)", "Any text: a pretty log has no colours. Nothing else is ever coloured.")
]
