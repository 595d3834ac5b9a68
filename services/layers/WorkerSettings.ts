/** What an operator sets of the workers: which of them run, and when a session is over for a digest. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Digests from "../../workers/Digests.ts"
import { usualWorkers, workerNames } from "./WorkerNames.ts"

/** The workers that run. */
export const workers: Config.Config<ReadonlyArray<string>> = Config.nonEmptyString("WORKERS").pipe(
  Config.withDefault("all"),
  Config.mapOrFail((text) => {
    if (text === "none") return Either.right([])
    const said = text.split(",").map((name) => name.trim())
    const names = [...new Set(said.flatMap((name) => name === "all" ? usualWorkers : [name]))]
    return names.every((name) => workerNames.includes(name))
      ? Either.right(names)
      : Either.left(ConfigError.InvalidData(["WORKERS"], `expected all, none or some of ${workerNames.join(", ")}`))
  })
)

/** How long a session must be quiet for a digest. */
export const digestQuiet: Config.Config<Duration.Duration> = Config.withDefault(
  Config.duration("DIGEST_QUIET"),
  Duration.decode(Digests.QUIET)
)
