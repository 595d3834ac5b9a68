/**
 * Where and how the process logs: to stderr, since stdout belongs to results; as `LOOM_LOG_FORMAT` and `LOOM_LOG_LEVEL`
 * say.
 */
import * as Config from "effect/Config"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

export interface LogSettings {
  readonly level: LogLevel.LogLevel
  readonly format: "pretty" | "json" | "logfmt"
}

export const config: Config.Config<LogSettings> = Config.nested(
  Config.all({
    level: Config.withDefault(Config.logLevel("LOG_LEVEL"), LogLevel.Info),
    format: Config.withDefault(Config.literal("pretty", "json", "logfmt")("LOG_FORMAT"), "logfmt")
  }),
  "LOOM"
)

const loggers = {
  json: Logger.withConsoleError(Logger.jsonLogger),
  logfmt: Logger.withConsoleError(Logger.logfmtLogger),
  pretty: Logger.prettyLogger({ stderr: true })
}

export const layer = ({ format, level }: LogSettings): Layer.Layer<never> =>
  Layer.merge(Logger.replace(Logger.defaultLogger, loggers[format]), Logger.minimumLogLevel(level))
