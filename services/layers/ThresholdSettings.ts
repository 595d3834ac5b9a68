/** What an operator sets of the cosines by which writes are judged. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Thresholds from "../../src/memory/ThresholdModel.ts"

/** A cosine; a wrong one is told by its name. */
const cosine = (name: string, initial: number): Config.Config<number> =>
  Config.number(name).pipe(
    Config.withDefault(initial),
    Config.mapOrFail((value) =>
      value >= 0 && value <= 1
        ? Either.right(value)
        : Either.left(ConfigError.InvalidData([name], "expected a number from 0 to 1"))
    )
  )

export const thresholds: Config.Config<Thresholds.Options> = Config.all({
  adaptive: Config.withDefault(Config.boolean("ADAPTIVE_THRESHOLDS"), Thresholds.defaultOptions.adaptive),
  conflict: cosine("CONFLICT_THRESHOLD", Thresholds.defaultOptions.conflict),
  duplicate: cosine("DUPLICATE_THRESHOLD", Thresholds.defaultOptions.duplicate)
}).pipe(Config.mapOrFail((options) =>
  options.conflict <= options.duplicate
    ? Either.right(options)
    : Either.left(
      ConfigError.InvalidData(["CONFLICT_THRESHOLD"], "expected at most LOOM_DUPLICATE_THRESHOLD")
    )
))
