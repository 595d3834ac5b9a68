/**
 * Where and how the process logs: to stderr, since stdout belongs to results; as `LOOM_LOG_FORMAT` and `LOOM_LOG_LEVEL`
 * say.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"

export interface LogSettings {
  readonly level: LogLevel.LogLevel
  readonly format: "pretty" | "json" | "logfmt"
  /** Of a pretty log. */
  readonly colours: boolean
}

const names = LogLevel.allLevels.map(({ label }) => label)

/** A level by the label that a log line shows or by its name (`WARN`, `Warning`), in any case. */
const levelOf = (text: string): Either.Either<LogLevel.LogLevel, ConfigError.ConfigError> => {
  const asked = text.toUpperCase()
  const level = LogLevel.allLevels.find(({ _tag, label }) => _tag.toUpperCase() === asked || label === asked)
  return level === undefined
    ? Either.left(ConfigError.InvalidData(["LOG_LEVEL"], `expected one of ${names.join(", ")}`))
    : Either.right(level)
}

const noColour = Config.map(Config.option(Config.string("NO_COLOR")), Option.exists((value) => value !== ""))

const fields = Config.nested(
  Config.all({
    level: Config.withDefault(Config.string("LOG_LEVEL"), "Info").pipe(Config.mapOrFail(levelOf)),
    format: Config.withDefault(Config.literal("pretty", "json", "logfmt")("LOG_FORMAT"), "logfmt")
  }),
  "LOOM"
)

export const config: Config.Config<LogSettings> = Config.zipWith(fields, noColour, (settings, plain) => ({
  ...settings,
  colours: !plain && process.stderr.isTTY
}))

const loggerOf = ({ colours, format }: LogSettings): Logger.Logger<unknown, void> => {
  switch (format) {
    case "json":
      return Logger.withConsoleError(Logger.jsonLogger)
    case "logfmt":
      return Logger.withConsoleError(Logger.logfmtLogger)
    case "pretty":
      return Logger.prettyLogger({ stderr: true, colors: colours, mode: "tty" })
  }
}

export const layer = (settings: LogSettings): Layer.Layer<never> =>
  Layer.merge(Logger.replace(Logger.defaultLogger, loggerOf(settings)), Logger.minimumLogLevel(settings.level))
