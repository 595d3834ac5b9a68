/**
 * Options that several commands share, and how an option takes the place of its `LOOM_…` setting: what stands on the
 * command line is put in front of the environment, so that every module reads one configuration.
 */
import * as Options from "@effect/cli/Options"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const asJson = Options.boolean("json").pipe(
  Options.withDescription("Print the result, or the error, as one JSON object on one line")
)

export const text = (name: string, pseudoName: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudoName),
    Options.withDescription(description),
    Options.optional
  )

export const data = text("data", "folder", "Where the data lies (LOOM_DATA; default ~/.loom)")

export const port = text(
  "port",
  "number",
  "The port of HTTP, RPC and MCP; 0 takes any free one (LOOM_PORT; default 7777)"
)

export const host = text("host", "address", "The address to listen on (LOOM_HOST; default 127.0.0.1)")

export const mode = text(
  "mode",
  "single|team",
  "single: no token needed, loopback only; team: tokens alone open (LOOM_MODE)"
)

/** Options by the name of the setting they replace. */
export type Overrides = { readonly [setting: string]: Option.Option<string> }

const optionOf = (setting: string): string => `--${setting.replace(/^LOOM_/, "").toLowerCase().replaceAll("_", "-")}`

/** The settings that were given as options, with the option's name, for messages. */
export const optionNames = (overrides: Overrides): ReadonlyMap<string, string> =>
  new Map(Object.entries(overrides).flatMap(([name, value]) => Option.isSome(value) ? [[name, optionOf(name)]] : []))

/** Runs with the given options in front of the configuration. */
export const withOverrides = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Overrides
): Effect.Effect<A, E, R> => {
  const given = Object.entries(overrides).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, value.value] as const] : []
  )
  const first = ConfigProvider.fromMap(new Map(given), { pathDelim: "_" })
  return Effect.configProviderWith((rest) =>
    Effect.withConfigProvider(effect, ConfigProvider.orElse(first, () => rest))
  )
}
