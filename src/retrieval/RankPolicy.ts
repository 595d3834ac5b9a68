/** The one order of what the legs found: a decision that a deployment may replace. The default is `Fusion`. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Fusion from "./Fusion.ts"
import { DEFAULT_TRUST, MOST_TRUST } from "./Priors.ts"

export class RankPolicy extends Context.Tag("loom/retrieval/RankPolicy")<RankPolicy, {
  /** All candidates, best first. Total, and the same for any order of the input; components add up to the score. */
  readonly rank: (
    candidates: ReadonlyArray<Fusion.Candidate>,
    evidence: Fusion.Evidence
  ) => ReadonlyArray<Fusion.Ranked>
}>() {}

/** With so much weight on where a memory comes from, 0 to `MOST_TRUST`. */
export const layerWith = (trust: number): Layer.Layer<RankPolicy> =>
  Layer.succeed(RankPolicy, { rank: (candidates, evidence) => Fusion.rank(candidates, evidence, trust) })

export const layer: Layer.Layer<RankPolicy> = layerWith(DEFAULT_TRUST)

const weightOf = (weight: number): Either.Either<number, ConfigError.ConfigError> =>
  weight >= 0 && weight <= MOST_TRUST
    ? Either.right(weight)
    : Either.left(
      ConfigError.InvalidData(["MEMORY_SEARCH_TRUST_WEIGHT"], `expected a number from 0 to ${MOST_TRUST}`)
    )

/** As `LOOM_MEMORY_SEARCH_TRUST_WEIGHT` says. */
export const setting: Config.Config<number> = Config.nested(
  Config.number("MEMORY_SEARCH_TRUST_WEIGHT").pipe(Config.withDefault(DEFAULT_TRUST), Config.mapOrFail(weightOf)),
  "LOOM"
)

export const layerConfig: Layer.Layer<RankPolicy, ConfigError.ConfigError> = Layer.unwrapEffect(
  Effect.map(setting, layerWith)
)
